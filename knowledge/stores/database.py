"""Learned records as the rows of facts, arcs and rules."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Case, FloatField, QuerySet, Subquery, Value, When
from django.db.models.functions import Cast, Concat
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.owners import scope_of
from knowledge.errors import RecordUnfit
from knowledge.models import Arc, Fact
from knowledge.models.learned import Learned, LearnedQuerySet
from knowledge.store import Kind, Match, Namespace, Record, Sought
from knowledge.stores.rows import MODELS, NEWEST, fields_of, matches, record_of, rows_of
from memory.models import EmbeddingSpace
from memory.vectors import Vector


class DatabaseStore:
    """Keeps records in PostgreSQL; the vectors are compared there, and never sent here."""

    def put(self, namespace: Namespace, record: Record) -> None:
        self.put_batch(namespace, [record])

    def put_batch(self, namespace: Namespace, records: Sequence[Record]) -> None:
        rows = rows_of(namespace, records)
        _give_vectors(rows, records)
        model = MODELS[namespace.kind]
        changed = [*fields_of(namespace.kind), *_vector_fields(namespace.kind)]
        try:
            with transaction.atomic():
                known = set(
                    _mine(namespace)
                    .filter(pk__in=rows)
                    .select_for_update(of=("self",))
                    .values_list("pk", flat=True)
                )
                # One that is another's is no conflict to settle: the insert fails on its key.
                model.objects.bulk_create(row for key, row in rows.items() if key not in known)
                model.objects.bulk_update(
                    [row for key, row in rows.items() if key in known], changed
                )
        except IntegrityError as error:
            raise RecordUnfit("a key or a session is taken") from error

    def similar(self, namespace: Namespace, sought: Sought, *, limit: int) -> list[Match]:
        found = _with_cosine(_found(namespace, sought), namespace.kind, sought)
        rows = [(row, getattr(row, "cosine", None)) for row in found]
        return matches(rows, namespace.kind, sought, limit)

    def latest(self, namespace: Namespace, *, limit: int = 1) -> list[Record]:
        rows = _newest(_mine(namespace).active(), namespace.kind)
        return [record_of(row, namespace.kind) for row in rows[:limit]]


DATABASE = DatabaseStore()


def _mine(namespace: Namespace) -> LearnedQuerySet[Learned]:
    owner = namespace.owner
    rows: LearnedQuerySet[Learned] = MODELS[namespace.kind].objects.within(
        scope_of(owner.agent, owner=owner.pk)
    )
    return rows


def _found(namespace: Namespace, sought: Sought) -> LearnedQuerySet[Learned]:
    """Return the rows that a question is compared with."""
    rows = _mine(namespace)
    if not sought.with_inactive:
        rows = rows.active()
    if sought.since is not None:
        rows = rows.filter(**{f"{NEWEST[namespace.kind]}__gte": sought.since})
    return _newest(rows, namespace.kind)


def _newest(rows: LearnedQuerySet[Learned], kind: Kind) -> LearnedQuerySet[Learned]:
    found: LearnedQuerySet[Learned] = rows.defer(*_vector_fields(kind))
    return found.order_by(f"-{NEWEST[kind]}", "-pk")


def _with_cosine(rows: LearnedQuerySet[Learned], kind: Kind, sought: Sought) -> Iterable[Learned]:
    """Add the cosine of those whose vector is in the question's space; null for the others."""
    if sought.vector is None or kind is Kind.PROCEDURAL:
        return rows
    spaces = _spaces(sought.vector, sought.embedding_model).values("pk")
    distance = CosineDistance("embedding", HalfVector(sought.vector))
    alike = When(space=Subquery(spaces), embedding__isnull=False, then=Value(1.0) - distance)
    return rows.annotate(cosine=Cast(Case(alike, default=None), FloatField()))


def _vector_fields(kind: Kind) -> tuple[str, ...]:
    return () if kind is Kind.PROCEDURAL else ("embedding", "space")


def _give_vectors(rows: dict[UUID, Learned], records: Sequence[Record]) -> None:
    """Set the vectors of spaces that are known; the others are left to the words."""
    for record in records:
        row, vector = rows[record.key], record.embedding
        if isinstance(row, (Fact, Arc)) and vector is not None:
            row.space = _spaces(vector, record.embedding_model).first()
            row.embedding = HalfVector(vector) if row.space else None


def _spaces(vector: Vector, model: str) -> QuerySet[EmbeddingSpace]:
    """Return the space that a vector of this model is in, or none."""
    name = Concat("model", Value("@"), "version")
    return EmbeddingSpace.objects.annotate(name=name).filter(name=model, dimension=len(vector))

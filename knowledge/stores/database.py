"""Learned records as the rows of facts, arcs and rules."""

from collections.abc import Sequence
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Value
from django.db.models.functions import Concat
from pgvector import HalfVector

from accounts.owners import scope_of
from knowledge.errors import RecordUnfit
from knowledge.models import Arc, Fact
from knowledge.models.learned import Learned, LearnedQuerySet
from knowledge.stores.base import Kind, Match, Namespace, Record, StoreQuery
from knowledge.stores.rows import MODELS, NEWEST, fields_of, record_of, rows_of
from knowledge.stores.statement import read_comparables
from memory.models import EmbeddingSpace
from memory.vectors import Vector
from ranking.hybrid import rank


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

    def similar(self, namespace: Namespace, sought: StoreQuery, *, limit: int) -> list[Match]:
        kind = namespace.kind
        read = read_comparables(namespace.owner, kind, NEWEST[kind], sought)
        ranked = rank(sought.text, [comparable for _, comparable in read], limit=limit)
        scores = {read[place][0]: score for place, score in ranked}
        rows = _read(_mine(namespace), kind).in_bulk(scores) if scores else {}
        # One that was deleted between the two statements is left out.
        return [Match(record_of(rows[id], kind), scores[id]) for id in scores if id in rows]

    def latest(self, namespace: Namespace, *, limit: int = 1) -> list[Record]:
        newest = (f"-{NEWEST[namespace.kind]}", "-pk")
        rows = _read(_mine(namespace).active(), namespace.kind).order_by(*newest)
        return [record_of(row, namespace.kind) for row in rows[:limit]]


DATABASE = DatabaseStore()


def _mine(namespace: Namespace) -> LearnedQuerySet[Learned]:
    owner = namespace.owner
    rows: LearnedQuerySet[Learned] = MODELS[namespace.kind].objects.within(
        scope_of(owner.agent, owner=owner.pk)
    )
    return rows


def _read(rows: LearnedQuerySet[Learned], kind: Kind) -> LearnedQuerySet[Learned]:
    """Leave the vectors where they are."""
    found: LearnedQuerySet[Learned] = rows.defer(*_vector_fields(kind))
    return found


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

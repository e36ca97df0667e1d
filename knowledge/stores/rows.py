"""Records as rows and rows as records, the same in every store."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Field

from knowledge.errors import RecordUnfit
from knowledge.items.text import comparable
from knowledge.models import Arc, Fact, Rule
from knowledge.models.learned import Learned
from knowledge.stores.base import Kind, Match, Namespace, Record, StoreQuery
from ranking.hybrid import rank

MODELS: dict[Kind, type[Learned]] = {
    Kind.SEMANTIC: Fact,
    Kind.EPISODIC: Arc,
    Kind.PROCEDURAL: Rule,
}
# By what a record is newer than another.
NEWEST = {Kind.SEMANTIC: "created_at", Kind.EPISODIC: "ended_at", Kind.PROCEDURAL: "created_at"}
# What a store writes of itself, and no value holds.
OWN = frozenset({"id", "owner", "embedding", "space", "created_at", "last_referenced_at"})


def fields_of(kind: Kind) -> list[str]:
    """Return the names of the fields that a value of this kind holds."""
    found: Sequence[Field] = MODELS[kind]._meta.concrete_fields  # noqa: SLF001 - documented by Django
    return [field.name for field in found if field.name not in OWN]


def row_of(namespace: Namespace, record: Record) -> Learned:
    """Return a record as an unsaved row. Raises RecordUnfit."""
    unknown = set(record.value) - set(fields_of(namespace.kind))
    if unknown:
        raise RecordUnfit(f"a record of kind {namespace.kind} has no {', '.join(sorted(unknown))}")
    row = MODELS[namespace.kind](id=record.key, owner=namespace.owner, **record.value)
    try:
        row.clean_fields(exclude=OWN)
    except (ValidationError, FieldDoesNotExist) as error:
        # The names alone: the values are someone's words.
        names = ", ".join(sorted(getattr(error, "error_dict", {})))
        raise RecordUnfit(f"these fields do not fit: {names}") from error
    return row


def rows_of(namespace: Namespace, records: Sequence[Record]) -> dict[UUID, Learned]:
    """Return records as rows by key; of a key the last one counts. Raises RecordUnfit."""
    return {record.key: row_of(namespace, record) for record in records}


def record_of(row: Learned, kind: Kind) -> Record:
    return Record(row.pk, {name: getattr(row, name) for name in fields_of(kind)})


def place_of(row: Learned, kind: Kind) -> tuple[datetime, UUID]:
    """Return what rows are newer by."""
    at: datetime = getattr(row, NEWEST[kind])
    return at, row.pk


def matches(
    rows: Sequence[tuple[Learned, float | None]], kind: Kind, sought: StoreQuery, limit: int
) -> list[Match]:
    """Rank rows, each with its cosine, newest first; ties are won by the newer one."""
    found = rank(sought.text, [comparable(row, cosine) for row, cosine in rows], limit=limit)
    return [Match(record_of(rows[place][0], kind), score) for place, score in found]

"""Learned records in this process alone: they end with it and leave no trace."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from django.utils import timezone

from knowledge.errors import RecordUnfit
from knowledge.models import Arc
from knowledge.models.learned import Learned
from knowledge.stores.base import Match, Namespace, Record, StoreQuery
from knowledge.stores.rows import matches, place_of, record_of, rows_of
from memory.vectors import Vector
from ranking.similarity import cosine


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A row that is in no database, with its vector and the model that made it."""

    row: Learned
    embedding: Vector | None
    model: str


@dataclass(slots=True)
class InMemoryStore:
    """Keeps rows by namespace and key."""

    _kept: dict[Namespace, dict[UUID, MemoryRow]] = field(default_factory=dict)

    def put(self, namespace: Namespace, record: Record) -> None:
        self.put_batch(namespace, [record])

    def put_batch(self, namespace: Namespace, records: Sequence[Record]) -> None:
        known = self._kept.get(namespace, {})
        rows = rows_of(namespace, records)
        vectors = {record.key: record for record in records}
        added = {}
        for key, row in rows.items():
            row.created_at = known[key].row.created_at if key in known else timezone.now()
            vector = vectors[key].embedding
            half = None if vector is None else _as_stored(vector)
            added[key] = MemoryRow(row, half, vectors[key].embedding_model)
        wanted = known | added
        _check_sessions([kept.row for kept in wanted.values()])
        self._kept[namespace] = wanted

    def similar(self, namespace: Namespace, sought: StoreQuery, *, limit: int) -> list[Match]:
        rows = [
            (kept.row, _cosine(kept, sought))
            for kept in self._newest(namespace, with_inactive=sought.with_inactive)
            if sought.since is None or place_of(kept.row, namespace.kind)[0] >= sought.since
        ]
        return matches(rows, namespace.kind, sought, limit)

    def latest(self, namespace: Namespace, *, limit: int = 1) -> list[Record]:
        return [record_of(kept.row, namespace.kind) for kept in self._newest(namespace)[:limit]]

    def _newest(self, namespace: Namespace, *, with_inactive: bool = False) -> list[MemoryRow]:
        found = self._kept.get(namespace, {}).values()
        rows = [kept for kept in found if with_inactive or kept.row.is_active]
        return sorted(rows, key=lambda kept: place_of(kept.row, namespace.kind), reverse=True)


def _cosine(kept: MemoryRow, sought: StoreQuery) -> float | None:
    """Return the cosine of vectors that can be compared, else None."""
    if kept.embedding is None or sought.vector is None:
        return None
    alike = kept.model == sought.embedding_model and len(kept.embedding) == len(sought.vector)
    half = _as_stored(sought.vector)
    return cosine(kept.embedding.tolist(), half.tolist()) if alike else None


def _as_stored(vector: Vector) -> Vector:
    """Return a vector with the precision that the database keeps."""
    return vector.astype(np.float16).astype(np.float32)


def _check_sessions(rows: Sequence[Learned]) -> None:
    """Raise RecordUnfit for two arcs of one session."""
    sessions = [row.session for row in rows if isinstance(row, Arc)]
    if len(set(sessions)) < len(sessions):
        raise RecordUnfit("a session has one arc")

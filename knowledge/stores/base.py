"""What every store of learned records offers: put, put together, find alike, read the latest.

A record is kept in a namespace, which is an owner and a kind. A vector is compared only with those
of the same model and dimension.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from accounts.models import Owner
from memory.models import EmbeddingSpace
from memory.vectors import Vector

Value = Mapping[str, object]


class Kind(StrEnum):
    SEMANTIC = "semantic"
    EPISODIC = "episodic"
    PROCEDURAL = "procedural"


@dataclass(frozen=True, slots=True)
class Namespace:
    owner: Owner
    kind: Kind


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of an item under its id, and its vector; what is read back comes without one."""

    key: UUID
    value: Value
    embedding: Vector | None = None
    embedding_model: str = ""


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """A question, its vector where there is one, and the earliest time that still counts.

    What counts no more is found only where `with_inactive` asks for it. `among_many` says that
    there are too many records to read them all; it changes nothing of what is found.
    """

    text: str
    vector: Vector | None = None
    embedding_model: str = ""
    since: datetime | None = None
    with_inactive: bool = False
    among_many: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    record: Record
    score: float


class Store(Protocol):
    """Where learned records are kept. All stores rank the same records the same way."""

    def put(self, namespace: Namespace, record: Record) -> None:
        """Keep a record, in the place of the one under its key. Raises RecordUnfit."""
        ...

    def put_batch(self, namespace: Namespace, records: Sequence[Record]) -> None:
        """Keep all the records, or none. Raises RecordUnfit."""
        ...

    def similar(self, namespace: Namespace, sought: StoreQuery, *, limit: int) -> list[Match]:
        """Return the records that answer a question, best first."""
        ...

    def latest(self, namespace: Namespace, *, limit: int = 1) -> list[Record]:
        """Return the newest active records."""
        ...


def model_name(space: EmbeddingSpace) -> str:
    """Return the name under which a record says what made its vector."""
    return f"{space.model}@{space.version}"

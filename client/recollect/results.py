"""What the server answers, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

# As it came off the wire: the fields below are the server's own names.
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation. `mode` is what is kept of it: incognito, local or synced."""

    id: str
    external_id: str
    state: str
    mode: str


@dataclass(frozen=True, slots=True)
class Stored:
    """An event that is in the log for good: its place in its lane, and its hash."""

    id: str
    lane: str
    seq: int
    hash: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Context:
    """A prompt ready for a chat API. `degraded` names what was missing; empty when nothing was."""

    messages: list[dict[str, Any]]
    tools: list[Any]
    tokens: int
    receipt: str
    degraded: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One result, with where it is from. `key` is a document's, empty for what was said."""

    id: str
    store: str
    text: str
    score: float
    key: str
    source: Json


@dataclass(frozen=True, slots=True)
class Recalled:
    """Results, best first; `receipt` names the record of them, empty where there is no memory yet."""

    hits: tuple[Hit, ...]
    receipt: str
    searched_by: Json | list[Any] | str
    degraded: str


@dataclass(frozen=True, slots=True)
class Document:
    """What was kept on purpose, in its present version."""

    id: str
    key: str
    version: int
    content: str
    metadata: Json
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What a query finds that could go (`would_forget`), or what is gone for good."""

    would_forget: tuple[Json, ...] = ()
    forgotten: tuple[Json, ...] = ()
    missing: tuple[Json, ...] = field(default=())


def session(found: Json) -> Session:
    return Session(found["id"], found.get("external_id") or "", found["state"], found["mode"])


def stored(found: Json) -> tuple[Stored, ...]:
    names = ("id", "lane", "seq", "hash", "tokens")
    return tuple(Stored(**{name: one[name] for name in names}) for one in found["events"])


def context(found: Json) -> Context:
    receipt, degraded = found["receipt"] or "", found["degraded"] or ""
    return Context(found["messages"], found["tools"], found["tokens"], receipt, degraded)


def recalled(found: Json) -> Recalled:
    hits = tuple(_hit(one) for one in found["results"])
    receipt, degraded = found["receipt"] or "", found["degraded"] or ""
    return Recalled(hits, receipt, found["searched_by"], degraded)


def document(found: Json) -> Document:
    return Document(
        id=found["id"],
        key=found["key"] or "",
        version=found["version"],
        content=found["content"],
        metadata=found["metadata"] or {},
        created_at=datetime.fromisoformat(found["created_at"]),
        updated_at=datetime.fromisoformat(found["updated_at"]),
    )


def forgotten(found: Json) -> Forgotten:
    names = ("would_forget", "forgotten", "missing")
    return Forgotten(**{name: tuple(found.get(name, ())) for name in names})


def _hit(found: Json) -> Hit:
    return Hit(
        id=found["id"],
        store=found["store"],
        text=found["text"],
        score=found["score"],
        key=found["source"].get("key") or "",
        source=found["source"],
    )

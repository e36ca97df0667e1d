"""Memories as every interface shows them, and what a query or a list of ids would forget."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from accounts.models import Owner
from accounts.owners import scope_of
from consolidation.memories.change import forget_memories
from recall.errors import MemoryUnknown
from recall.memories.memory import Memory, MemoryKind
from recall.memories.read import find_memory
from recall.memories.search import EVERY_KIND, MemoryQuery, search_memories

QUERY_CHARACTERS = 1_000
TEXT_CHARACTERS = 65_536
MOST_FORGOTTEN = 100
KINDS = [kind.value for kind in MemoryKind]
WRITABLE = ["fact", "rule", "note", "document"]


def shown(memory: Memory) -> dict[str, object]:
    """Return a memory in the one shape that every answer has."""
    span, source = memory.span, memory.source
    return {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text,
        "about": memory.about,
        "score": memory.score,
        "said_at": span.said_at,
        "happened_at": span.happened_at,
        "holds_until": span.holds_until,
        "state": memory.state,
        "is_pinned": memory.is_pinned,
        "version": memory.version,
        "source": {
            "session": source.session,
            "events": list(source.events),
            "quote": source.quote,
        },
        "signals": memory.signals,
    }


def query_of(asked: Mapping[str, object]) -> MemoryQuery:
    """Return a checked body as a query."""
    fields = {
        name: value for name, value in asked.items() if name not in ("user", "query", "kinds")
    }
    named = asked.get("kinds")
    kinds = (
        [MemoryKind(kind) for kind in named] if isinstance(named, list) and named else EVERY_KIND
    )
    return MemoryQuery(str(asked["query"]), kinds, **fields)  # type: ignore[arg-type]  # the fields are the query's


def forgettable(owner: Owner | None, query: str) -> dict[str, object]:
    """Return what a query would forget, those that count no more as well."""
    kinds = [kind for kind in EVERY_KIND if kind is not MemoryKind.PASSAGE]
    wanted = MemoryQuery(query, kinds, limit=MOST_FORGOTTEN, with_inactive=True)
    found = search_memories(owner=owner, query=wanted)
    mine = [memory for memory in found.memories if not _is_agents(memory)]
    return {"would_forget": [shown(memory) for memory in mine], "forgotten": [], "missing": []}


def forgotten(owner: Owner | None, ids: Sequence[UUID], actor: str) -> dict[str, object]:
    """Forget memories of a user; an id that is another's, or gone already, is missing."""
    memories = [memory for id in dict.fromkeys(ids) if (memory := _of_owner(owner, id))]
    gone = forget_memories(owner=owner, memories=memories, actor=actor) if owner else []
    missing = [id for id in dict.fromkeys(ids) if id not in gone]
    return {"would_forget": [], "forgotten": gone, "missing": missing}


def _is_agents(memory: Memory) -> bool:
    return memory.kind is MemoryKind.DOCUMENT and memory.version > 0


def _of_owner(owner: Owner | None, id: UUID) -> Memory | None:
    if owner is None:
        return None
    try:
        return find_memory(scope=scope_of(owner.agent, owner=owner.pk), id=id)[0]
    except MemoryUnknown:
        return None

"""List a user's memories, newest first, and find one by its id."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from accounts.models import Owner
from accounts.owners import scope_of
from accounts.scope import Scope
from knowledge.models import Arc, ContextDocument, Entry, Fact, KnowledgeDocument, Rule
from knowledge.models.learned import ACTIVE
from memory.models import Chunk, Event, Session
from recall.errors import MemoryUnknown
from recall.memories.memory import (
    Memory,
    MemoryKind,
    note_number,
    of_arc,
    of_chunk,
    of_document,
    of_event,
    of_fact,
    of_knowledge,
    of_note,
    of_rule,
)

# What was said is listed by its session.
LISTED = tuple(kind for kind in MemoryKind if kind is not MemoryKind.PASSAGE)


@dataclass(frozen=True, slots=True, order=True)
class ListPosition:
    """After which memory a page begins: when it was written, and its id."""

    at: datetime
    id: UUID


@dataclass(frozen=True, slots=True)
class Shelf:
    """The rows of one kind: newest by `at`, shown by `shown`. `by_number` keys are no UUIDs."""

    model: type[Model]
    at: str
    shown: Callable[..., Memory]
    without: Sequence[str] = ()
    by_number: bool = False


SHELVES: Mapping[MemoryKind, Shelf] = {
    MemoryKind.FACT: Shelf(Fact, "created_at", of_fact, ("embedding",)),
    MemoryKind.RULE: Shelf(Rule, "created_at", of_rule),
    MemoryKind.SUMMARY: Shelf(Arc, "ended_at", of_arc, ("embedding",)),
    MemoryKind.NOTE: Shelf(Entry, "updated_at", of_note, by_number=True),
    MemoryKind.DOCUMENT: Shelf(ContextDocument, "created_at", of_document, ("embedding",)),
}
LEARNED = frozenset({MemoryKind.FACT, MemoryKind.RULE, MemoryKind.SUMMARY})


def list_memories(
    *,
    owner: Owner | None,
    kinds: Sequence[MemoryKind] = LISTED,
    with_inactive: bool = False,
    after: ListPosition | None = None,
    limit: int,
) -> list[tuple[ListPosition, Memory]]:
    """Return at most `limit` memories after a place, newest first, each with its own place."""
    if owner is None:
        return []
    listed: list[tuple[ListPosition, Memory]] = []
    for kind in dict.fromkeys(kinds):
        if kind in SHELVES:
            shelf = SHELVES[kind]
            mine = _mine(shelf, scope_of(owner.agent, owner=owner.pk))
            hides = kind in LEARNED and not with_inactive
            rows = _after(shelf, mine.filter(ACTIVE) if hides else mine, after)[:limit]
            memories = [(getattr(row, shelf.at), shelf.shown(row)) for row in rows]
            listed += [(ListPosition(at, memory.id), memory) for at, memory in memories]
    return sorted(listed, key=lambda pair: pair[0], reverse=True)[:limit]


def memories_of_session(session: Session) -> list[Memory]:
    """Return the facts, then the rules, that were learned from a session and count."""
    facts = Fact.objects.filter(owner=session.owner_id, source_session=session.pk).active()
    rules = Rule.objects.filter(owner=session.owner_id, source_session=session.pk).active()
    learned = facts.defer("embedding").order_by("pk")
    return [*map(of_fact, learned), *map(of_rule, rules.order_by("pk"))]


def find_memory(*, scope: Scope, id: UUID) -> tuple[Memory, Owner]:
    """Return a memory within a scope, active or not, and whose it is. Raises MemoryUnknown."""
    row = next((found for found in _rows_of(scope, id) if found is not None), None)
    if row is None:
        raise MemoryUnknown("there is no such memory")
    return row


def _rows_of(scope: Scope, id: UUID) -> Iterator[tuple[Memory, Owner] | None]:
    number = note_number(id)
    for shelf in (*SHELVES.values(), *SAID):
        if shelf.by_number == (number is not None):
            mine = _mine(shelf, scope).select_related("owner__agent__organization")
            row = mine.filter(pk=id if number is None else number).first()
            if row is None or row.owner.erasure:
                yield None
            else:
                yield shelf.shown(row), row.owner


# Found by their ids, and not listed.
SAID = (
    Shelf(Chunk, "occurred_at", of_chunk),
    Shelf(Event, "occurred_at", of_event),
    Shelf(KnowledgeDocument, "updated_at", of_knowledge),
)


def _mine(shelf: Shelf, scope: Scope) -> QuerySet:
    rows: QuerySet = shelf.model._default_manager.within(scope).defer(*shelf.without)  # type: ignore[attr-defined]  # noqa: SLF001 - every shelf's has it
    return rows.filter(muted_by=None) if shelf.model in (Chunk, Event) else rows


def _after(shelf: Shelf, rows: QuerySet, after: ListPosition | None) -> QuerySet:
    ordered = rows.order_by(f"-{shelf.at}", "-pk")
    if after is None:
        return ordered
    number = note_number(after.id)
    earlier = Q(**{f"{shelf.at}__lt": after.at})
    if shelf.by_number:
        # Every note's id is less than those of all other stores.
        rest = {"pk__lt": number} if number is not None else {}
        return ordered.filter(earlier | Q(**{shelf.at: after.at, **rest}))
    if number is not None:
        return ordered.filter(earlier)
    return ordered.filter(earlier | Q(**{shelf.at: after.at, "pk__lt": after.id}))

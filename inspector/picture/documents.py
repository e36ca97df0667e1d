"""Single texts that were learned of a person, as their page shows them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from accounts.models import Owner
from accounts.owners import scope_of
from consolidation.models import ContextEvent
from inspector.person.wording import Correction
from knowledge.models import ChangeItem, ContextDocument
from memory.models import Session

# More observations than these say the same again.
MOST_QUOTES = 3
CHANNEL: Mapping[str, str] = {
    "person": "from your own hand",
    "interactive": "from a conversation",
    "autonomous": "found in the background",
    "tool": "from a tool",
}


@dataclass(frozen=True, slots=True)
class Quote:
    """An observation that a text was learned from; `session` is one that can be read."""

    text: str
    at: datetime
    channel: str
    session: UUID | None


@dataclass(frozen=True, slots=True)
class DocumentCard:
    """A text with where it is from. `times` is how often it was observed."""

    row: ContextDocument
    quotes: Sequence[Quote]
    times: int
    corrected: Correction | None
    changeset: UUID | None

    @property
    def who(self) -> str:
        if self.corrected:
            return "corrected by hand"
        learned = self.row.source == ContextDocument.Source.SYSTEM_LEARNED
        return "concluded by the agent" if learned else "given by the agent"


def documents_of(owner: Owner, words: str = "") -> QuerySet[ContextDocument]:
    """Return the texts that say something of a person and hold all the words, the newest first."""
    mine = ContextDocument.objects.within(scope_of(owner.agent, owner=owner.pk)).shown()
    for word in words.replace("\0", "").split():
        mine = mine.filter(content__icontains=word)
    return mine.select_related("connection").defer("embedding")


def shown(owner: Owner, page: Sequence[ContextDocument]) -> list[DocumentCard]:
    """Return the texts of a page, in as many queries for many as for one."""
    named = [event for row in page for event in row.events[-MOST_QUOTES:]]
    mine = ContextEvent.objects.filter(owner=owner, pk__in=_ids(named)).exclude(content="")
    events = {str(event.pk): event for event in mine}
    sessions = _sessions(owner, list(events.values()))
    changes = _changes(owner, page)
    return [_shown(owner, row, events, sessions, changes.get(row.pk)) for row in page]


def _shown(
    owner: Owner,
    row: ContextDocument,
    events: Mapping[str, ContextEvent],
    sessions: Mapping[str, UUID],
    change: ChangeItem | None,
) -> DocumentCard:
    found = [events[one] for one in row.events[-MOST_QUOTES:] if one in events]
    quotes = [
        Quote(
            one.content,
            one.observed_at,
            CHANNEL.get(str(one.source_metadata.get("source")), ""),
            sessions.get(str(one.source_metadata.get("session_id"))),
        )
        for one in found
    ]
    corrected = _correction(owner, change) if change else None
    return DocumentCard(
        row, quotes, len(row.events), corrected, change.changeset_id if change else None
    )


def _sessions(owner: Owner, events: Sequence[ContextEvent]) -> Mapping[str, UUID]:
    """Return the conversations that are still there, by their ids as an observation names them."""
    named = _ids(one.source_metadata.get("session_id") for one in events)
    rows = Session.objects.filter(owner=owner, pk__in=named).values_list("pk", flat=True)
    return {str(pk): pk for pk in rows}


def _ids(named: Iterable[object]) -> set[UUID]:
    """Return the ids among what a row names: what came in from a file may be anything."""
    found: set[UUID] = set()
    for one in named:
        with suppress(ValueError):
            found.add(UUID(str(one)))
    return found


def _changes(owner: Owner, page: Sequence[ContextDocument]) -> Mapping[UUID, ChangeItem]:
    """Return the correction that brought each text that a correction brought."""
    items = ChangeItem.objects.filter(
        changeset__owner=owner,
        kind=ChangeItem.Kind.DOCUMENT,
        act=ChangeItem.Act.EDIT,
        state=ChangeItem.State.APPLIED,
        target__in=[row.pk for row in page],
    )
    found = items.exclude(before=None).select_related("changeset").order_by("pk")
    return {item.target: item for item in found if item.target}


def _correction(owner: Owner, item: ChangeItem) -> Correction:
    made, before = item.changeset, item.before or {}
    is_own = owner.user is not None and made.actor == str(owner.user)
    return Correction(made.created_at, made.actor, is_own, str(before.get("content", "")), [])

"""An owner's memory as it was at a moment, told from its changes alone."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from knowledge.history.as_of import LEARNED, Fields, PastChange, PastMemory, replay
from knowledge.models import ChangeItem, Changeset

Act, State = ChangeItem.Act, ChangeItem.State
MADE = (State.APPLIED, State.REVERTED)
ROW = ("id", "changeset", "changeset__origin", "changeset__created_at", "kind", "act", "target",
       "after", "state", "decided_at", "changed")  # fmt: skip


class _Row(NamedTuple):
    """A change as the database has it; `changed` says whether anything was there before."""

    id: int
    run: UUID
    origin: str
    created_at: datetime
    kind: str
    act: str
    target: UUID | None
    after: Fields | None
    state: str
    decided_at: datetime | None
    changed: bool


def memory_as_of(owner: Owner, at: datetime) -> PastMemory:
    """Return what was known at a moment, in one query. What was deleted for good stays gone."""
    return replay(steps_of(owner, until=at), at)


def steps_of(owner: Owner, until: datetime | None = None) -> list[PastChange]:
    """Return every change that was made of an owner's memory, the first one first."""
    items = ChangeItem.objects.filter(changeset__owner=owner, state__in=MADE)
    items = items.exclude(kind__in=(ChangeItem.Kind.DOCUMENT, ChangeItem.Kind.LEARNED_INFO))
    if until is not None:
        items = items.filter(changeset__created_at__lte=until)
    rows = items.annotate(changed=Q(before__isnull=False)).values_list(*ROW)
    found = [row for row in map(_Row._make, rows) if _was_made(row)]
    found.sort(key=lambda row: (_made_at(row), row.id))
    return [
        PastChange(_made_at(row), row.run, row.origin, row.kind, row.act, row.target, row.after)
        for row in found
    ]


def _made_at(row: _Row) -> datetime:
    """Return when a change was made: with its run, or when somebody approved it."""
    if row.origin == Changeset.Origin.REVERT or row.decided_at is None:
        return row.created_at
    return row.decided_at


def _was_made(row: _Row) -> bool:
    """Say whether a change was ever made: its run may have been taken back while it waited."""
    if row.state == State.APPLIED or row.kind not in LEARNED:
        return True
    if row.act == Act.ADD:
        # Once made, it holds every field of its row.
        return "version" in (row.after or {})
    return row.changed

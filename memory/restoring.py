"""A conversation that another log tells of, written to ours: with its words and times, and a chain of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.driver import run
from accounts.models import Owner
from memory.events import append_events
from memory.messages import Draft
from memory.models import LaneWindow, Session, SessionStep
from memory.models.window import Lane
from memory.muting import mute
from memory.sessions import STEPS

BATCH = 500
# The append says when it was: that is when it came in, and not when it was said.
COMMITTED = """
update memory_event old set committed_at = told.at
from unnest(%s::uuid[], %s::timestamptz[]) as told (id, at) where old.id = told.id
"""
# Of its end: what was told is not summarised and learned from again.
AFTER = frozenset({"chunk", "embed", "promote"})
RESTORED = "imported"


@dataclass(frozen=True, slots=True)
class RestoredEvent:
    """An event and when it was committed, as the other log has it."""

    draft: Draft
    committed_at: datetime
    is_muted: bool = False


@transaction.atomic
def restore_session(
    *, owner: Owner, id: UUID, fields: Mapping[str, object], told: Sequence[RestoredEvent]
) -> Session:
    """Write a conversation that has ended, under its id; its chunks and vectors are due.

    `fields` are the session's own, with its times. What it is told with keeps its order.
    """
    session = Session(id=id, owner=owner)
    session.save(force_insert=True)
    LaneWindow.objects.bulk_create(LaneWindow(session=session, lane=lane) for lane in Lane)
    for start in range(0, len(told), BATCH):
        batch = told[start : start + BATCH]
        stored = append_events(session=session, drafts=[one.draft for one in batch])
        run(COMMITTED, ([one.pk for one in stored], [one.committed_at for one in batch]))
        muted = [one.pk for one, said in zip(stored, batch, strict=True) if said.is_muted]
        # By no act of here: what another place had forgotten is not taken back in this one.
        mute(owner=owner, by=id, events=muted, chunks=())
    for name, value in fields.items():
        setattr(session, name, value)
    session.state = Session.State.CLOSING
    # The last event's time is not what the append has just written.
    last = max((one.committed_at for one in told), default=None)
    session.last_event_at = session.last_event_at or last
    session.ended_at = session.ended_at or session.last_event_at or session.opened_at
    session.end_reason = session.end_reason or Session.EndReason.IMPORT
    names = {*fields, "state", "last_event_at", "ended_at", "end_reason"}
    session.save(update_fields=names)
    SessionStep.objects.bulk_create(_step(session, place, name) for place, name in enumerate(STEPS))
    return session


def _step(session: Session, place: int, name: str) -> SessionStep:
    is_due = name in AFTER
    return SessionStep(
        session=session,
        name=name,
        position=place,
        state=SessionStep.State.DUE if is_due else SessionStep.State.SKIPPED,
        error_code="" if is_due else RESTORED,
    )

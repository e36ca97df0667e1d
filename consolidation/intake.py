"""The front door: store what is sent and note what is due, in one transaction."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from accounts.idempotency import fingerprint, once
from accounts.models import Agent
from audit.failpoint import failpoint
from consolidation.queue import enqueue
from memory.events import append_events
from memory.hashing import canonical
from memory.messages import Draft
from memory.models import Event, Session
from memory.sessions import begin_end


def accept_events(
    *, agent: Agent, session: Session, drafts: Sequence[Draft], key: str | None = None
) -> tuple[list[Event], bool]:
    """Append a batch, whole or not at all; a repetition of `key` returns what the first one stored.

    Raises SessionClosed, or IdempotencyConflict when the key belongs to another request.
    """
    request = fingerprint(str(session.pk).encode(), *(_content(draft) for draft in drafts))
    stored: list[Event] = []

    def write() -> list[UUID]:
        stored.extend(append_events(session=session, drafts=drafts))
        return [event.pk for event in stored]

    with transaction.atomic():
        ids, repeated = once(agent=agent, key=key, request=request, write=write)
        failpoint("ingest.before_commit")
    failpoint("ingest.after_commit")
    if not repeated:
        return stored, False
    rows = Event.objects.in_bulk(ids)
    return [rows[pk] for pk in ids], True


@transaction.atomic
def end_session(*, session: Session, reason: str) -> bool:
    """Close a session and make the job that finishes it. False if it was ending already."""
    begun = begin_end(session=session, reason=reason)
    if begun:
        enqueue(kind="finalise", key=str(session.pk), subject=f"session:{session.pk}")
    failpoint("close.after_state")
    return begun


def _content(draft: Draft) -> bytes:
    when = draft.occurred_at.isoformat() if draft.occurred_at else None
    return canonical(
        [draft.type, draft.payload, draft.lane, draft.tool_call_id, draft.skill_phase, when]
    )

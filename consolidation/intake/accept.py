"""The front door: store what is sent and note what is due, in one transaction."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.idempotency import fingerprint, once
from accounts.models import Agent
from audit.failpoint import failpoint
from consolidation.compaction.nudge import ask, drop_waiting, is_compacting, nudge
from consolidation.intake.attachments import index_attachments
from consolidation.intake.calibration import ReportedUsage, calibrate
from consolidation.intake.lessons import may_teach, note_lessons
from consolidation.intake.session_ends import request_end
from consolidation.intake.used_facts import note_use
from consolidation.learning.request import learn_what_was_answered
from consolidation.models import CompactionRun
from memory.events import append_events
from memory.hashing import canonical
from memory.messages import Draft, is_command
from memory.models import Event, Session
from memory.sessions import begin_end

ANSWERS = frozenset({Event.Type.MODEL_OUTPUT.value, Event.Type.TOOL_RESULT.value})


def accept_events(
    *,
    agent: Agent,
    session: Session,
    drafts: Sequence[Draft],
    key: str | None = None,
    usage: ReportedUsage | None = None,
    is_import: bool = False,
) -> tuple[list[Event], bool]:
    """Append a batch, whole or not at all; a repetition of `key` returns what the first one stored.

    `usage` is what the model that gave these events counted; None when the client does not say.
    Nothing follows from a message of an import before its session has ended.
    Raises SessionClosed, or IdempotencyConflict when the key belongs to another request.
    """
    if key is None and usage is None and _stands_alone(drafts):
        # One statement is a transaction by itself: three trips to the server less.
        return append_events(session=session, drafts=drafts), False
    # Without a key nobody compares it.
    request = _fingerprint(session, drafts) if key else b""
    stored: list[Event] = []

    def write() -> list[UUID]:
        stored.extend(append_events(session=session, drafts=drafts))
        if usage:
            calibrate(session=session, lane=drafts[0].lane, usage=usage)
        index_attachments(session=session, stored=stored)
        if not is_import:
            _follow(session, drafts, stored)
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
def end_session(*, session: Session, reason: str, silent_since: datetime | None = None) -> bool:
    """Close a session and make the job that finishes it. False if it was ending already.

    With `silent_since` it ends only if nothing has happened in it since then.
    """
    begun = begin_end(session=session, reason=reason, silent_since=silent_since)
    if begun:
        drop_waiting(session)
        request_end(session, reason=reason)
    failpoint("close.after_state")
    return begun


def accept_transcript(
    *,
    agent: Agent,
    session: Session,
    drafts: Sequence[Draft],
    key: str | None = None,
    is_import: bool = False,
) -> tuple[list[Event], bool]:
    """Append a whole conversation and end the session, both or neither.

    That of an import gives way to whoever talks now. Raises as accept_events does.
    """
    reason = Session.EndReason.IMPORT if is_import else Session.EndReason.TRANSCRIPT
    with transaction.atomic():
        stored, repeated = accept_events(
            agent=agent, session=session, drafts=drafts, key=key, is_import=is_import
        )
        if not repeated:
            end_session(session=session, reason=reason)
    return stored, repeated


def _follow(session: Session, drafts: Sequence[Draft], stored: Sequence[Event]) -> None:
    """Make the jobs that new events of a conversation ask for."""
    for lane in sorted({draft.lane for draft in drafts if draft.type in ANSWERS}):
        nudge(session=session, lane=lane)
    for lane in sorted({draft.lane for draft in drafts if _asks(draft)}):
        if not is_compacting(session, lane):
            ask(session=session, lane=lane, trigger=CompactionRun.Trigger.MESSAGE)
    learn_what_was_answered(session=session, stored=stored)
    note_lessons(session=session, stored=stored)
    note_use(session=session, stored=stored)


def _asks(draft: Draft) -> bool:
    return is_command(draft.type, draft.payload)


def _stands_alone(drafts: Sequence[Draft]) -> bool:
    """Say whether there is one event and nothing that follows from it."""
    alone = len(drafts) == 1 and drafts[0].type not in ANSWERS and not _asks(drafts[0])
    return alone and not may_teach(drafts[0].type, drafts[0].payload)


def _fingerprint(session: Session, drafts: Sequence[Draft]) -> bytes:
    return fingerprint(str(session.pk).encode(), *(_content(draft) for draft in drafts))


def _content(draft: Draft) -> bytes:
    when = draft.occurred_at.isoformat() if draft.occurred_at else None
    return canonical(
        [draft.type, draft.payload, draft.lane, draft.tool_call_id, draft.skill_phase, when]
    )

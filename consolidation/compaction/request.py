"""Ask for a compaction; the asking never waits for one."""

from enum import StrEnum

from django.db import transaction

from consolidation.compaction.plan import look, open_run
from consolidation.jobs.queue import enqueue
from consolidation.models import CompactionRun, Job
from memory.errors import SessionClosed
from memory.models import Session

KIND = "compact"


class Outcome(StrEnum):
    """What became of a request."""

    SCHEDULED = "scheduled"
    ALREADY_RUNNING = "already_running"
    NOTHING_TO_COMPACT = "nothing_to_compact"


@transaction.atomic
def request_compaction(*, session: Session, lane: str, trigger: str) -> Outcome:
    """Make the job that folds a lane, if there is something to fold and none is at it.

    The session's owner, agent and organization must be loaded. Raises SessionClosed.
    """
    # The caller's copy may be older than the session's end.
    if not Session.objects.open().filter(pk=session.pk).exists():
        raise SessionClosed(f"session {session.pk} has ended")
    if open_run(session, lane) or _waits(session, lane):
        return Outcome.ALREADY_RUNNING
    if look(session, lane, trigger)[2] is None:
        return Outcome.NOTHING_TO_COMPACT
    _enqueue(session, lane, trigger)
    return Outcome.SCHEDULED


def compact_when_due(*, session: Session, lane: str) -> None:
    """Make the job when the lane has outgrown its thresholds, in the caller's transaction."""
    trigger = CompactionRun.Trigger.AUTOMATIC
    if look(session, lane, trigger)[2]:
        _enqueue(session, lane, trigger)


def drop_waiting(session: Session) -> None:
    """Cancel a session's waiting compactions: its end shall not wait for them."""
    waiting = Job.objects.filter(kind=KIND, subject=_subject(session), state=Job.State.DUE)
    waiting.update(state=Job.State.CANCELLED)


def _waits(session: Session, lane: str) -> bool:
    jobs = Job.objects.open().filter(kind=KIND, subject=_subject(session))
    return jobs.filter(key__startswith=f"{session.pk}:{lane}:").exists()


def _enqueue(session: Session, lane: str, trigger: str) -> None:
    enqueue(kind=KIND, key=f"{session.pk}:{lane}:{trigger}", subject=_subject(session))


def _subject(session: Session) -> str:
    return f"session:{session.pk}"

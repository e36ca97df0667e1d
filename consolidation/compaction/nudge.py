"""Ask the worker to look whether a lane is to be folded: nothing is read or measured here."""

from consolidation.jobs.queue import enqueue
from consolidation.models import CompactionRun, Job
from consolidation.models.job import JobQuerySet
from memory.models import Session

KIND = "compact"
Trigger = CompactionRun.Trigger


def nudge(*, session: Session, lane: str, trigger: str = Trigger.AUTOMATIC) -> None:
    """Make the job that measures a lane, and flushes and folds what is due, in the caller's transaction."""
    key = f"{session.pk}:{lane}:{trigger}"
    enqueue(kind=KIND, key=key, subject=_subject(session), owner=session.owner_id)


def ask(*, session: Session, lane: str, trigger: str) -> None:
    """Make the job that somebody asks for, in the place of a nudge that waits."""
    waiting = _nudges(session, lane).filter(state=Job.State.DUE)
    waiting.update(state=Job.State.CANCELLED)
    nudge(session=session, lane=lane, trigger=trigger)


def is_compacting(session: Session, lane: str) -> bool:
    """Return whether a compaction of the lane is under way, or asked for by somebody."""
    runs = CompactionRun.objects.filter(session=session, lane=lane, state__in=CompactionRun.OPEN)
    asked = _waiting(session, lane).exclude(key__endswith=f":{Trigger.AUTOMATIC}")
    return runs.exists() or asked.exists()


def is_nudged(session: Session, lane: str) -> bool:
    """Return whether a worker has yet to look at the lane by itself."""
    return _nudges(session, lane).exists()


def drop_waiting(session: Session) -> None:
    """Cancel a session's waiting compactions: its end shall not wait for them."""
    waiting = Job.objects.filter(kind=KIND, subject=_subject(session), state=Job.State.DUE)
    waiting.update(state=Job.State.CANCELLED)


def _nudges(session: Session, lane: str) -> JobQuerySet:
    return _waiting(session, lane).filter(key__endswith=f":{Trigger.AUTOMATIC}")


def _waiting(session: Session, lane: str) -> JobQuerySet:
    jobs: JobQuerySet = Job.objects.open().filter(kind=KIND, subject=_subject(session))
    return jobs.filter(key__startswith=f"{session.pk}:{lane}:")


def _subject(session: Session) -> str:
    return f"session:{session.pk}"

"""Ask for a compaction and say what came of it; the asking never waits for one."""

from enum import StrEnum

from django.db import transaction

from consolidation.compaction.nudge import ask, is_compacting, is_nudged
from consolidation.compaction.plan import look
from consolidation.models import CompactionRun
from memory.errors import SessionClosed
from memory.models import Session


class RequestOutcome(StrEnum):
    """What became of a request."""

    SCHEDULED = "scheduled"
    ALREADY_RUNNING = "already_running"
    NOTHING_TO_COMPACT = "nothing_to_compact"


@transaction.atomic
def request_compaction(*, session: Session, lane: str, trigger: str) -> RequestOutcome:
    """Make the job that folds a lane, if there is something to fold and none is at it.

    The session's owner, agent and organization must be loaded. Raises SessionClosed.
    """
    # The caller's copy may be older than the session's end.
    if not Session.objects.open().filter(pk=session.pk).exists():
        raise SessionClosed(f"session {session.pk} has ended")
    if is_compacting(session, lane) or _is_due(session, lane):
        return RequestOutcome.ALREADY_RUNNING
    if look(session, lane, trigger)[2] is None:
        return RequestOutcome.NOTHING_TO_COMPACT
    ask(session=session, lane=lane, trigger=trigger)
    return RequestOutcome.SCHEDULED


def _is_due(session: Session, lane: str) -> bool:
    """Return whether the worker that looks next will fold the lane by itself."""
    if not is_nudged(session, lane):
        return False
    return look(session, lane, CompactionRun.Trigger.AUTOMATIC)[2] is not None

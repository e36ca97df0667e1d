"""Ask for the end of a session to be done, in the class of those who wait for it."""

from collections.abc import Sequence

from consolidation.jobs.queue import enqueue
from consolidation.models.priorities import Priority
from memory.models import Session

KIND = "finalise"
# Nobody talks in these: they were told whole, and long after they were held.
TOLD: Sequence[str] = (Session.EndReason.IMPORT,)


def request_end(session: Session, *, reason: str) -> None:
    """Make the job that does the steps of a session's end, in the caller's transaction."""
    enqueue(
        kind=KIND,
        key=str(session.pk),
        subject=f"session:{session.pk}",
        owner=session.owner_id,
        priority=Priority.BULK if reason in TOLD else Priority.ENDING,
    )

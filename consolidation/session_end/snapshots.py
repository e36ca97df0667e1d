"""The heartbeat of running sessions: keep their boundaries, and flush the queue of vectors."""

from django.db import transaction
from django.db.models import F, Max, Q

from consolidation.embedding.chunks import nudge
from consolidation.jobs.queue import Attempt
from memory.models import Chunk, Session, Snapshot
from memory.snapshots import take_snapshot

# In one round; the next one follows soon.
MOST = 500


@transaction.atomic
def beat_session(*, session: Session) -> Snapshot:
    """Take a snapshot of both lanes, and have what waits for a vector filled now."""
    taken = take_snapshot(session=session)
    if Chunk.objects.waiting_for_a_vector().filter(owner_id=session.owner_id).exists():
        nudge()
    return taken


def run(run: Attempt) -> None:
    """Take a snapshot of each open session in which something has happened since its last one."""
    sessions = Session.objects.open().annotate(taken_at=Max("snapshots__taken_at"))
    stale = Q(taken_at=None) | Q(taken_at__lt=F("last_event_at"))
    for session in sessions.filter(stale, last_event_at__isnull=False)[:MOST]:
        take_snapshot(session=session)

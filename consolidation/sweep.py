"""Look, now and then, at what should be under way, whatever was lost on the way."""

import logging
from datetime import timedelta

from django.utils import timezone

from consolidation.embedding import nudge
from consolidation.models import Job
from consolidation.queue import Run, bury_the_spent, enqueue
from memory.models import Chunk, Session, SessionStep
from memory.sessions import mark_step

log = logging.getLogger(__name__)
KEPT = timedelta(days=7)


def run(run: Run) -> None:
    """Bury jobs that killed their workers; make the jobs that rows ask for and nobody made."""
    for kind, key in bury_the_spent():
        log.error("job %s %s is dead: it ended its worker at every attempt", kind, key)
    _record_the_dead()
    for session in Session.objects.filter(state=Session.State.CLOSING, number=None):
        if not Job.objects.filter(kind="finalise", key=str(session.pk)).exists():
            enqueue(kind="finalise", key=str(session.pk), subject=f"session:{session.pk}")
    if Chunk.objects.waiting_for_a_vector().exists():
        nudge()
    _close_the_empty()


def prune(run: Run) -> None:
    """Forget jobs that ended well some days ago; the dead stay until someone has looked."""
    ended = Job.objects.filter(state__in=(Job.State.DONE, Job.State.CANCELLED))
    ended.filter(finished_at__lt=timezone.now() - KEPT).delete()


def _record_the_dead() -> None:
    due = SessionStep.objects.filter(name="chunk", state=SessionStep.State.DUE)
    dead = dict(Job.objects.dead().filter(kind="finalise").values_list("key", "last_error_code"))
    for step in due.filter(session_id__in=dead):
        step.state, step.error_code = SessionStep.State.FAILED, dead[str(step.session_id)]
        step.save(update_fields=["state", "error_code", "changed_at"])


def _close_the_empty() -> None:
    """End the step of sessions with nothing to embed: no batch would do it."""
    waiting = Chunk.objects.waiting_for_a_vector().values("session_id")
    done = SessionStep.objects.filter(name="chunk", state=SessionStep.State.DONE).values(
        "session_id"
    )
    stale = SessionStep.objects.filter(name="embed", state=SessionStep.State.DUE)
    for step in stale.filter(session_id__in=done).exclude(session_id__in=waiting):
        mark_step(session=step.session, name="embed", state=SessionStep.State.DONE)

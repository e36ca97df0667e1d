"""The end of a session, step by step; each step may be repeated."""

from audit.failpoint import failpoint
from consolidation.embedding import nudge
from consolidation.queue import Run, holding
from memory.indexing import plan_chunks, write_chunks
from memory.models import Session, SessionStep
from memory.sessions import mark_step


def run(run: Run) -> None:
    """Cut the session into chunks and ask for their vectors. A vanished session is nothing to do."""
    session = Session.objects.select_related("owner__agent").filter(pk=run.key).first()
    if session is None:
        return
    plan = plan_chunks(session, language=session.owner.agent.language)
    failpoint("job.after_reply")
    with holding(run):
        written = write_chunks(session, plan)
        failpoint("job.mid_apply")
        mark_step(session=session, name="chunk", state=SessionStep.State.DONE)
        if written:
            nudge()
        elif not session.chunks.waiting_for_a_vector().exists():
            mark_step(session=session, name="embed", state=SessionStep.State.DONE)

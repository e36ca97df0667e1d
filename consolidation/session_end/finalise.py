"""The end of a session, step by step; each is recorded, and may be repeated."""

import logging
from collections.abc import Callable, Sequence

from accounts.billing import charged_to
from audit.failpoint import failpoint
from consolidation.compaction.job import fail
from consolidation.embedding.chunks import nudge, nudge_first
from consolidation.errors import Postponed
from consolidation.intake.session_ends import TOLD
from consolidation.jobs.queue import Attempt, holding
from consolidation.models import CompactionRun
from consolidation.profile.patterns import job as recurring
from consolidation.session_end.arc import arc_key, propose_arc
from consolidation.session_end.guard import holding_as_told, newest_forgetting
from consolidation.session_end.promote import learn
from consolidation.session_end.summary import summarise
from consolidation.session_end.tiers import promote_the_oldest
from knowledge.changes.apply import apply_changes
from knowledge.models import Changeset
from memory.indexing import plan_chunks, write_chunks
from memory.models import Session, SessionStep
from memory.sessions import mark_step
from memory.snapshots import take_snapshot
from memory.tiers import write_late_summary
from providers.errors import OutOfCredit

log = logging.getLogger(__name__)
DONE = SessionStep.State.DONE
Step = Callable[[Attempt, Session], None]


def run(run: Attempt) -> None:
    """Do the steps of a session's end that are due. A vanished session is nothing to do."""
    sessions = Session.objects.select_related("owner__agent__organization")
    session = sessions.filter(pk=run.key).first()
    if session is None:
        return
    steps = SessionStep.objects.filter(session=session)
    open_states = (SessionStep.State.DUE, SessionStep.State.FAILED)
    due = set(steps.filter(state__in=open_states).values_list("name", flat=True))
    with charged_to(session.owner, session=session.pk):
        _do(run, session, [STEPS[name] for name in STEPS if name in due])


def _do(run: Attempt, session: Session, steps: Sequence[Step]) -> None:
    """Do steps in their order; one that nobody can pay for comes again, and holds up no other."""
    unpaid: Postponed | None = None
    for step in steps:
        try:
            step(run, session)
        except Postponed as reason:
            if reason.code != OutOfCredit.code:
                raise
            unpaid = reason
    if unpaid:
        raise unpaid


def reach_safe_point(run: Attempt, session: Session) -> None:
    """End compactions that are under way: the whole log is cut next, folded or not."""
    for found in CompactionRun.objects.filter(session=session, state__in=CompactionRun.OPEN):
        fail(found, "session_ended")
    with holding(run):
        mark_step(session=session, name="safe_point", state=DONE)


def write_summary(run: Attempt, session: Session) -> None:
    """Summarise the session as far as the limit lets: nobody waits longer, and the rest comes later."""
    since = newest_forgetting(session.owner)
    written = summarise(session)
    if written.code:
        log.warning("session %s ends without a whole summary: %s", session.pk, written.code)
    with holding_as_told(run, session.owner, since=since):
        session.summary = written.text or session.summary
        Session.objects.filter(pk=session.pk).update(summary=session.summary)
        take_snapshot(session=session, summary=session.summary, is_final=True)
        is_late = write_late_summary(session=session, language=session.owner.agent.language)
        mark_step(
            session=session,
            name="summary",
            state=SessionStep.State.SKIPPED if written.code else DONE,
            error_code=written.code,
            details={"tries": _tries(session) + 1},
        )
        if is_late:
            nudge()


def _tries(session: Session) -> int:
    """Return how often the session's summary was asked for."""
    step = SessionStep.objects.filter(session=session, name="summary").first()
    tries = step.details.get("tries", 0) if step else 0
    return tries if isinstance(tries, int) else 0


def write_arc(run: Attempt, session: Session) -> None:
    """Write the session's arc if enough was said, or go on without."""
    since = newest_forgetting(session.owner)
    change, code = propose_arc(session, crisis_level_max=session.crisis_level_max)
    with holding_as_told(run, session.owner, since=since):
        if change:
            apply_changes(
                owner=session.owner,
                origin=Changeset.Origin.SESSION_END,
                run_key=arc_key(session),
                changes=[change],
                session=session.pk,
            )
            failpoint("arc.mid_apply")
        recurring.request(session.owner)
        state = SessionStep.State.SKIPPED if code else DONE
        mark_step(session=session, name="arc", state=state, error_code=code)


def cut(run: Attempt, session: Session) -> None:
    """Cut the session into chunks and ask for their vectors."""
    since = newest_forgetting(session.owner)
    plan = plan_chunks(session, language=session.owner.agent.language)
    failpoint("job.after_reply")
    with holding_as_told(run, session.owner, since=since):
        written = write_chunks(session, plan)
        failpoint("job.mid_apply")
        mark_step(session=session, name="chunk", state=DONE)
        if written:
            nudge() if session.end_reason in TOLD else nudge_first(session)
        elif not session.chunks.waiting_for_a_vector().exists():
            mark_step(session=session, name="embed", state=DONE)


def promote(run: Attempt, session: Session) -> None:
    """Move the owner's sessions beyond the newest to long-term memory."""
    promote_the_oldest(run, session.owner)
    with holding(run):
        mark_step(session=session, name="promote", state=DONE)


# In their order. `embed` is not here: the batches that fill the vectors end it.
STEPS: dict[str, Step] = {
    "safe_point": reach_safe_point,
    "summary": write_summary,
    "arc": write_arc,
    "learn": learn,
    "chunk": cut,
    "promote": promote,
}

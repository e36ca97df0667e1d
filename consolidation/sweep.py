"""Look, now and then, at what should be under way, whatever was lost on the way."""

import logging
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from accounts.credits import has_grown
from audit.costs import settle_stale
from consolidation.compaction.job import fail
from consolidation.compaction.nudge import KIND
from consolidation.embedding import context as context_vectors
from consolidation.embedding import documents
from consolidation.embedding import learned as learned_vectors
from consolidation.embedding import saved_facts as saved_vectors
from consolidation.embedding.chunks import nudge
from consolidation.embedding.credit import is_waiting_for_credit, resume
from consolidation.errors import JobNotOpen
from consolidation.intake.accept import end_session
from consolidation.intake.session_ends import request_end
from consolidation.jobs.queue import Attempt, bury_the_spent, retry
from consolidation.learning.request import is_learning
from consolidation.models import Candidate, CompactionRun, Import, Job
from consolidation.session_end.finalise import STEPS
from consolidation.session_end.tally import STEP
from knowledge.models import KnowledgeDocument
from memory.models import Chunk, Session, SessionStep
from memory.sessions import mark_step
from providers.errors import ProviderUnavailable

log = logging.getLogger(__name__)
KEPT = timedelta(days=7)
UNCONFIRMED = timedelta(days=1)
# In one round; the next one follows soon.
MOST_ENDED = 200
# Of a session that ended without a whole summary: how often it is asked for, and when first again.
MOST_SUMMARIES = 5
FIRST_WAIT = timedelta(minutes=10)
OUTAGE_WAIT = timedelta(minutes=30)


def run(run: Attempt) -> None:
    """Bury jobs that killed their workers; make the jobs that rows ask for and nobody made."""
    for kind, key in bury_the_spent():
        log.error("job %s %s is dead: it ended its worker at every attempt", kind, key)
    settle_stale()
    if has_grown():
        resume()
    _retry_after_outages()
    _record_the_dead()
    _end_abandoned_compactions()
    unfinished = SessionStep.objects.filter(state=SessionStep.State.DUE, name__in=STEPS)
    closing = Session.objects.filter(state=Session.State.CLOSING)
    for session in closing.filter(pk__in=unfinished.values("session")):
        if not Job.objects.filter(kind="finalise", key=str(session.pk)).exists():
            request_end(session, reason=session.end_reason)
    _summarise_late()
    _nudge_embedding()
    _close_the_empty()
    _promote_the_late()
    _end_the_silent()


def _retry_after_outages() -> None:
    """Try again what a provider that was away or slow has killed, now and then, for some days."""
    now = timezone.now()
    dead = Job.objects.dead().filter(last_error_code=ProviderUnavailable.code)
    due = dead.filter(finished_at__lt=now - OUTAGE_WAIT, created_at__gt=now - KEPT)
    for job in due.order_by("finished_at")[:MOST_ENDED]:
        with suppress(JobNotOpen):
            retry(job)


def _summarise_late() -> None:
    """Ask again for the summaries that a provider did not give, a few times and ever more rarely."""
    skipped = (
        SessionStep.objects.filter(
            name="summary", state=SessionStep.State.SKIPPED, session__state=Session.State.CLOSED
        )
        .exclude(error_code="")
        .select_related("session")
    )
    for step in skipped.order_by("changed_at")[:MOST_ENDED]:
        tries = step.details.get("tries", 1)
        wait = FIRST_WAIT * 4 ** (tries - 1)
        if tries <= MOST_SUMMARIES and step.changed_at < timezone.now() - wait:
            SessionStep.objects.filter(pk=step.pk).update(state=SessionStep.State.DUE)
            request_end(step.session, reason=step.session.end_reason)


def _nudge_embedding() -> None:
    """Ask for the vectors that are waited for, unless they wait for somebody who can pay."""
    if Chunk.objects.waiting_for_a_vector().exists() and not is_waiting_for_credit("embed"):
        nudge()
    waiting = KnowledgeDocument.objects.waiting_for_a_vector()
    if waiting.exists() and not is_waiting_for_credit(documents.KIND):
        documents.nudge()
    if not is_waiting_for_credit(learned_vectors.KIND):
        learned_vectors.nudge_if_any_waits()
    if not is_waiting_for_credit(context_vectors.KIND):
        context_vectors.nudge_if_any_waits()
    if not is_waiting_for_credit(saved_vectors.KIND):
        saved_vectors.nudge_if_any_waits()


def prune(run: Attempt) -> None:
    """Forget jobs that ended well some days ago; the dead stay until someone has looked."""
    ended = Job.objects.filter(state__in=(Job.State.DONE, Job.State.CANCELLED))
    ended.filter(finished_at__lt=timezone.now() - KEPT).delete()
    _drop_unconfirmed()


def _drop_unconfirmed() -> None:
    """Forget files that somebody gave, looked at, and did not have taken in."""
    waiting = Import.objects.filter(state=Import.State.READY)
    waiting.filter(created_at__lt=timezone.now() - UNCONFIRMED).delete()


def _record_the_dead() -> None:
    due = SessionStep.objects.filter(name__in=STEPS, state=SessionStep.State.DUE)
    dead = dict(Job.objects.dead().filter(kind="finalise").values_list("key", "last_error_code"))
    # The first step that is due is the one that failed; those after it wait for it.
    for step in due.filter(session_id__in=dead).order_by("session", "position").distinct("session"):
        step.state, step.error_code = SessionStep.State.FAILED, dead[str(step.session_id)]
        step.save(update_fields=["state", "error_code", "changed_at"])


def _end_abandoned_compactions() -> None:
    """End compactions whose job is gone, so that the lane can be compacted again."""
    for run in CompactionRun.objects.filter(state__in=CompactionRun.OPEN):
        jobs = Job.objects.filter(kind=KIND, key__startswith=f"{run.session_id}:{run.lane}:")
        if not jobs.open().exists():
            last = jobs.order_by("pk").last()
            fail(run, (last.last_error_code if last else "") or "abandoned")


def _close_the_empty() -> None:
    """End the step of sessions with nothing to embed: no batch would do it."""
    waiting = Chunk.objects.waiting_for_a_vector().values("session_id")
    done = SessionStep.objects.filter(name="chunk", state=SessionStep.State.DONE).values(
        "session_id"
    )
    stale = SessionStep.objects.filter(name="embed", state=SessionStep.State.DUE)
    for step in stale.filter(session_id__in=done).exclude(session_id__in=waiting):
        mark_step(session=step.session, name="embed", state=SessionStep.State.DONE)


def _promote_the_late() -> None:
    """Repeat the step of sessions whose last turns were learned from only after their end."""
    late = Candidate.objects.held().values("session")
    over = (SessionStep.State.DONE, SessionStep.State.SKIPPED)
    for step in SessionStep.objects.filter(name=STEP, state__in=over, session__in=late):
        if not is_learning(step.session):
            step.state = SessionStep.State.DUE
            step.save(update_fields=["state", "changed_at"])
            request_end(step.session, reason=step.session.end_reason)


def _end_the_silent() -> None:
    """End sessions in which nothing has happened for as long as is configured; 0 is never."""
    if not settings.INACTIVITY_SECONDS:
        return
    since = timezone.now() - timedelta(seconds=settings.INACTIVITY_SECONDS)
    quiet = Q(last_event_at__lte=since) | Q(last_event_at=None, opened_at__lte=since)
    for session in Session.objects.open().filter(quiet).order_by("last_event_at")[:MOST_ENDED]:
        end_session(session=session, reason=Session.EndReason.INACTIVITY, silent_since=since)

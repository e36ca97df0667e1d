"""The job of a compaction: plan, ask, apply. Until the last step nothing has left the view."""

import logging
from functools import partial

from django.utils import timezone

from accounts.billing import charged_to
from audit.failpoint import failpoint
from consolidation.compaction.apply import apply_run, pin
from consolidation.compaction.ask import ask
from consolidation.compaction.plan import open_run, plan_compaction
from consolidation.errors import PlanStale, Postponed
from consolidation.jobs.queue import Attempt
from consolidation.jobs.runs import asking
from consolidation.models import CompactionRun
from memory.deltas import DeltaInvalid
from memory.errors import SummaryChanged
from memory.models import Session
from providers.errors import ReplyMalformed, RequestRejected
from providers.registry import chat_model

log = logging.getLogger(__name__)


def run(job: Attempt) -> None:
    """Compact one lane, or go on with the compaction that a killed worker left.

    Raises Postponed when the provider cannot answer: the plan and the answers so far are kept.
    """
    session_id, lane, trigger = job.key.split(":")
    sessions = Session.objects.open().select_related("owner__agent__organization")
    session = sessions.filter(pk=session_id).first()
    if session is None:
        # Its end does without: no model is asked for what nobody will read.
        return
    found = open_run(session, lane) or plan_compaction(session, lane, trigger)
    if found is None:
        return
    found.session = session
    try:
        with charged_to(session.owner, session=session.pk):
            _compact(job, found)
    except (ReplyMalformed, RequestRejected) as error:
        fail(found, error.code)
    except DeltaInvalid:
        fail(found, "delta_invalid")
    except (PlanStale, SummaryChanged):
        fail(found, "plan_stale")


def _compact(job: Attempt, run: CompactionRun) -> None:
    try:
        with asking():
            reply = ask(chat_model(), run, partial(pin, job, run))
    except Postponed:
        if not Session.objects.open().filter(pk=run.session_id).exists():
            fail(run, "session_ended")
            return
        raise
    failpoint("job.after_reply")
    apply_run(job, run, reply)


def fail(run: CompactionRun, code: str) -> None:
    """End a compaction that cannot be applied; the view is as it was, and the next trigger tries again."""
    log.warning("compaction %s failed: %s", run.pk, code)
    CompactionRun.objects.filter(pk=run.pk, state__in=CompactionRun.OPEN).update(
        state=CompactionRun.State.FAILED,
        error_code=code,
        finished_at=timezone.now(),
        reply=None,
    )

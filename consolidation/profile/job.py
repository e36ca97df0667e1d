"""The job of an owner: claim, ask, decide, write; the model is asked outside of any transaction."""

import logging
from functools import partial

from django.db import DatabaseError

from accounts.billing import charged_to
from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.errors import PlanStale, Postponed
from consolidation.jobs import heartbeat
from consolidation.jobs.backoff import postponed
from consolidation.jobs.queue import Attempt, holding
from consolidation.models import ContextEvent, SynthesisRun
from consolidation.profile.ask import ProfileReply, ask, kept
from consolidation.profile.check import AnswerUnfit
from consolidation.profile.claim import Claim, claim
from consolidation.profile.failure import fail, note, release
from consolidation.profile.request import may_synthesise, request_synthesis
from consolidation.profile.tidying import job as tidying
from consolidation.profile.write import age, write
from knowledge.errors import ContextUnfit
from knowledge.profile.edit import read_profile
from providers.errors import (
    ProviderRefused,
    ProviderUnavailable,
    ReplyMalformed,
    RequestRejected,
)
from providers.registry import chat_model_named

log = logging.getLogger(__name__)
# A provider that is down says when to come back, or is asked again after this.
DOWN_SECONDS = 30.0
# How often observations may be taken away during a call before the job is put off.
MOST_PLANS = 3


def run(job: Attempt) -> None:
    """Work in an owner's observations, or go on where a killed worker left it.

    Raises Postponed when the provider cannot answer, which is no attempt, or when the answer is of
    no use, which is one: after three the observations are set aside.
    """
    owner = Owner.objects.select_related("agent__organization").filter(pk=job.key).first()
    if owner is None or not may_synthesise(owner.agent):
        return
    for _ in range(MOST_PLANS):
        found = claim(job, owner)
        if found is None:
            age(job, owner)
            return
        try:
            _synthesise(job, found)
        except PlanStale:
            release(job, found.run)
        else:
            break
    if ContextEvent.objects.waiting().filter(owner=owner).exists():
        request_synthesis(owner.pk)
    else:
        tidying.request_if_due(owner)


def _synthesise(job: Attempt, found: Claim) -> None:
    try:
        pin = partial(_pin, job, found.run)
        with charged_to(found.owner):
            reply = ask(found, read_profile(found.owner), pin, chat_model_named)
        write(job, found, reply)
    except (ProviderUnavailable, ProviderRefused) as error:
        note(job, found.run, error.code)
        waits = postponed(error)
        raise Postponed(error.code, seconds=waits.seconds or DOWN_SECONDS, counts=False) from error
    except (ReplyMalformed, RequestRejected, AnswerUnfit, ContextUnfit) as error:
        _failed(job, found, error.code)
    except DatabaseError as error:
        # What the answer holds cannot be stored; where the database itself is gone this fails too.
        _failed(job, found, type(error).__name__)


def _failed(job: Attempt, found: Claim, code: str) -> None:
    log.warning("synthesis %s failed: %s", found.run.pk, code)
    if not fail(job, found.run, code):
        raise Postponed(code)


def _pin(job: Attempt, run: SynthesisRun, reply: ProfileReply) -> None:
    """Keep what has been answered so far, and lengthen the lease. Raises LeaseLost."""
    failpoint("synthesis.after_reply")
    with holding(job):
        run.reply = kept(reply)
        run.narrative_version, run.scaffold_version = (
            reply.narrative_version,
            reply.scaffold_version,
        )
        run.state = SynthesisRun.State.REPLIED if reply.is_whole else SynthesisRun.State.CLAIMED
        run.save(update_fields=["reply", "narrative_version", "scaffold_version", "state"])
    heartbeat.beat()
    failpoint("synthesis.after_pin")

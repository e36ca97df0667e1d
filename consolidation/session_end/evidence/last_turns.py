"""Turns that nobody has learned from yet when their session ends."""

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from consolidation.errors import Postponed
from consolidation.intake.session_ends import TOLD
from consolidation.jobs.attempt import attempt
from consolidation.jobs.queue import Attempt, holding
from consolidation.learning import job as learning
from consolidation.learning.batch import left_of, request_batches
from consolidation.learning.request import (
    KIND,
    jobs_of,
    learn_from,
    may_learn,
    not_learned_from,
)
from consolidation.models import Job
from memory.models import Session
from memory.user_turns import UserTurn

# No end waits longer for its turns: what they teach later is promoted later.
LONGEST = timedelta(minutes=1)
AGAIN_SECONDS = 1.0


def learn_the_rest(run: Attempt, session: Session, turns: Sequence[UserTurn]) -> None:
    """Learn from the turns that are left, before what was held is promoted; as far as there is time.

    A transcript comes whole, and a last word has no answer. What cannot be done now is done by
    itself, as is what an import brings. Raises Postponed while another worker is at it.
    """
    if not may_learn(session):
        return
    if session.end_reason in TOLD:
        with holding(run):
            request_batches(session, left_of(session, [turn.seq for turn in turns]))
        return
    with holding(run):
        learn_from(session=session, turns=not_learned_from(session, [turn.seq for turn in turns]))
    for job in jobs_of(session).open().order_by("pk"):
        if _is_too_late(session):
            return
        attempt(job.pk, {KIND: learning.run})
        with holding(run):
            # Nothing to write: it lengthens the lease.
            pass
    if jobs_of(session).filter(state=Job.State.RUNNING).exists() and not _is_too_late(session):
        raise Postponed("still_learning", seconds=AGAIN_SECONDS, counts=False)


def _is_too_late(session: Session) -> bool:
    return session.ended_at is None or timezone.now() - session.ended_at > LONGEST

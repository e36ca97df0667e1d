"""The job of a turn: load, ask, judge, write; each lane by itself."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from accounts.billing import charged_to
from consolidation.errors import Postponed
from consolidation.jobs.queue import Attempt
from consolidation.jobs.runs import asking
from consolidation.learning.ask import Judged, ask
from consolidation.learning.policies import POLICIES, Policy
from consolidation.learning.request import may_learn
from consolidation.learning.turn import Turn, load_turn
from consolidation.learning.whole.job import ask as ask_as_a_whole
from consolidation.learning.write import fail, note, open_runs, pin, write
from consolidation.models import Candidate, LearningRun
from providers.errors import ReplyMalformed, RequestRejected
from providers.registry import chat_model

log = logging.getLogger(__name__)
OPEN = frozenset({LearningRun.State.DUE, LearningRun.State.REPLIED})


def run(job: Attempt) -> None:
    """Learn from messages of the user, or go on where a killed worker left it.

    Raises Postponed when the provider cannot answer, or answers out of contract: what has been
    answered is kept, nothing is written of that lane, and the other lane is done all the same. A
    job whose tries are spent is dead, and an operator can have it done again.
    """
    turn = load_turn(job.key)
    if turn is None or not may_learn(turn.session):
        return
    with charged_to(turn.session.owner, session=turn.session.pk):
        waits = list(learn_turn(job, turn))
    if waits:
        raise waits[0]


def learn_turn(job: Attempt, turn: Turn) -> Iterator[Postponed]:
    """Do each lane of a turn that is open; yield why one has to wait."""
    policy = POLICIES[turn.session.owner.agent.learning_policy]
    runs = [run for run in open_runs(job, turn) if run.state in OPEN]
    if policy.commits is None:
        for run in runs:
            yield from _guarded(job, [run], partial(_learn, job, run, turn))
    elif runs:
        yield from _guarded(job, runs, partial(_learn_as_a_whole, job, runs, turn, policy))


def _guarded(
    job: Attempt, runs: Sequence[LearningRun], learn: Callable[[], None]
) -> Iterator[Postponed]:
    """Learn; a request that will be rejected again ends the runs, all else is tried again."""
    try:
        with asking(refusal_counts=True):
            learn()
    except RequestRejected as error:
        log.warning("learning of job %s failed: %s", job.id, error.code)
        fail(job, runs, error.code)
    except ReplyMalformed as error:
        note(job, runs, error.code)
        yield Postponed(error.code)
    except Postponed as reason:
        note(job, runs, reason.code)
        yield reason


def _learn(job: Attempt, found: LearningRun, turn: Turn) -> None:
    judged = ask(chat_model(), found, turn, partial(pin, job, found))
    write(job, found, turn, judged)


def _learn_as_a_whole(
    job: Attempt, runs: Sequence[LearningRun], turn: Turn, policy: Policy
) -> None:
    """Ask once, and write each lane in its own transaction; one that fails does not stop the other."""
    reply = ask_as_a_whole(job, chat_model(), runs, turn, policy)
    waits: list[Postponed] = []
    for found in runs:
        judged: Judged = reply.facts if found.lane == Candidate.Lane.SEMANTIC else reply.rules
        try:
            write(job, found, turn, judged, unfit=len(reply.unfit))
        except Postponed as reason:
            waits.append(reason)
    if waits:
        raise waits[0]

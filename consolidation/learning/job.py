"""The job of a turn: load, ask, judge, write; each lane by itself."""

import logging
from collections.abc import Iterator
from functools import partial

from accounts.billing import charged_to
from consolidation.errors import Postponed
from consolidation.jobs import heartbeat
from consolidation.jobs.backoff import postponed
from consolidation.jobs.queue import Run
from consolidation.learning.ask import Reply, ask
from consolidation.learning.request import may_learn
from consolidation.learning.turn import Turn, load_turn
from consolidation.learning.write import fail, note, open_runs, pin, write
from consolidation.models import LearningRun
from providers.errors import (
    ProviderRefused,
    ProviderUnavailable,
    ReplyMalformed,
    RequestRejected,
)
from providers.registry import chat_model

log = logging.getLogger(__name__)
OPEN = frozenset({LearningRun.State.DUE, LearningRun.State.REPLIED})


def run(job: Run) -> None:
    """Learn from one message of the user, or go on where a killed worker left it.

    Raises Postponed when the provider cannot answer: what has been answered is kept, nothing is
    written of that lane, and the other lane is done all the same.
    """
    turn = load_turn(job.key)
    if turn is None or not may_learn(turn.session):
        return
    with charged_to(turn.session.owner, session=turn.session.pk):
        waits = list(_waits(job, turn))
    if waits:
        raise waits[0]


def _waits(job: Run, turn: Turn) -> Iterator[Postponed]:
    """Do each lane that is open; yield why one has to wait."""
    for found in open_runs(job, turn):
        if found.state not in OPEN:
            continue
        try:
            _learn(job, found, turn)
        except (ReplyMalformed, RequestRejected) as error:
            log.warning("learning run %s failed: %s", found.pk, error.code)
            fail(job, found, error.code)
        except Postponed as reason:
            note(job, found, reason.code)
            yield reason


def _learn(job: Run, found: LearningRun, turn: Turn) -> None:
    try:
        judged = ask(chat_model(), found, turn, partial(_pin, job, found))
        write(job, found, turn, judged)
    except (ProviderUnavailable, ProviderRefused) as error:
        raise postponed(error, refusal_counts=True) from error


def _pin(job: Run, found: LearningRun, reply: Reply) -> None:
    pin(job, found, reply)
    heartbeat.beat()

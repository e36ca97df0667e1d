"""One attempt at a job: claim it, do it, and record how it went."""

import logging
from collections.abc import Callable, Mapping

from audit.failpoint import failpoint
from consolidation.errors import LeaseLost, Postponed
from consolidation.jobs import queue
from consolidation.jobs.queue import Attempt
from consolidation.jobs.schedules import PERIODIC

log = logging.getLogger(__name__)
Kinds = Mapping[str, Callable[[Attempt], None]]


def attempt(job_id: int, kinds: Kinds) -> None:
    """Do a job by the function of its kind, if it is due and free.

    Never raises: how it went stands in the job's row.
    """
    run = queue.claim(job_id)
    if run:
        do(run, kinds)


def do(run: Attempt, kinds: Kinds) -> None:
    """Do a job that this worker has claimed. Never raises: how it went stands in the job's row."""
    failpoint("job.after_claim")
    try:
        kinds[run.kind](run)
    except LeaseLost:
        log.warning("job %s lost its lease", run.id)
    except Postponed as reason:
        log.warning("job %s postponed: %s", run.id, reason.code)
        queue.postpone(run, code=reason.code, seconds=reason.seconds, counts=reason.counts)
    except Exception as error:  # noqa: BLE001 - the top of a job: it must end in its row
        # The type alone: a message or a traceback may hold someone's words.
        log.error("job %s (%s) failed: %s", run.id, run.kind, type(error).__name__)
        queue.postpone(run, code=type(error).__name__)
    else:
        failpoint("job.after_apply")
        _end(run)


def _end(run: Attempt) -> None:
    if run.kind in PERIODIC:
        queue.rest(run, seconds=PERIODIC[run.kind])
    else:
        queue.finish(run)

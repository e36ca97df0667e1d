"""The table of job kinds, and the function that does one."""

import logging
from collections.abc import Callable

from audit.failpoint import failpoint
from consolidation import (
    documents,
    embedding,
    finalise,
    heartbeat,
    learned_vectors,
    queue,
    reembedding,
    snapshots,
    sweep,
)
from consolidation.compaction import job as compaction
from consolidation.errors import LeaseLost, Postponed
from consolidation.learning import job as learning
from consolidation.queue import Run
from consolidation.schedules import PERIODIC
from memory import graphs

log = logging.getLogger(__name__)


def beat(run: Run) -> None:
    heartbeat.beat()


def grow_graphs(run: Run) -> None:
    graphs.grow()


# Each may run twice: a second run finds nothing left to do.
KINDS: dict[str, Callable[[Run], None]] = {
    "finalise": finalise.run,
    "embed": embedding.run,
    "reembed": reembedding.run,
    "compact": compaction.run,
    "learn": learning.run,
    documents.KIND: documents.run,
    learned_vectors.KIND: learned_vectors.run,
    "heartbeat": beat,
    "sweep": sweep.run,
    "snapshots": snapshots.run,
    "graphs": grow_graphs,
    "prune": sweep.prune,
}


def work(job_id: int) -> None:
    """Do a job as a worker does it: what the queue calls."""
    with heartbeat.beating():
        run_job(job_id)


def run_job(job_id: int) -> None:
    """Claim a job and do it. Never raises: how it went stands in the job's row."""
    run = queue.claim(job_id)
    if run is None:
        return
    failpoint("job.after_claim")
    try:
        KINDS[run.kind](run)
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


def _end(run: Run) -> None:
    if run.kind in PERIODIC:
        queue.rest(run, seconds=PERIODIC[run.kind])
    else:
        queue.finish(run)

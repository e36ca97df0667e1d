"""The table of job kinds, and the function that does one."""

import time

from consolidation import sweep
from consolidation.compaction import job as compaction
from consolidation.deletion import retention
from consolidation.deletion.erasure import job as erasure
from consolidation.deletion.erasure.request import KIND as ERASE
from consolidation.embedding import chunks as embedding
from consolidation.embedding import context as context_vectors
from consolidation.embedding import documents
from consolidation.embedding import learned as learned_vectors
from consolidation.embedding import reembed as reembedding
from consolidation.embedding import saved_facts as saved_vectors
from consolidation.intake import attachments, lessons, used_facts
from consolidation.jobs import heartbeat, queue
from consolidation.jobs.attempt import Kinds, attempt, do
from consolidation.jobs.queue import Attempt
from consolidation.learning import batch
from consolidation.learning import job as learning
from consolidation.learning.request import BATCH_KIND
from consolidation.observations import inbox as autonomous
from consolidation.portable import request as importing
from consolidation.profile import job as synthesis
from consolidation.profile import schedule as memory_runner
from consolidation.profile.patterns import job as recurring
from consolidation.profile.request import KIND as SYNTHESISE
from consolidation.profile.tidying import job as tidying
from consolidation.quality import measures
from consolidation.session_end import finalise, snapshots
from memory import graphs


def beat(run: Attempt) -> None:
    heartbeat.beat()


def grow_graphs(run: Attempt) -> None:
    graphs.grow()


# Each may run twice: a second run finds nothing left to do.
KINDS: Kinds = {
    "finalise": finalise.run,
    "embed": embedding.run,
    "reembed": reembedding.run,
    "compact": compaction.run,
    "learn": learning.run,
    BATCH_KIND: batch.run,
    SYNTHESISE: synthesis.run,
    tidying.KIND: tidying.run,
    ERASE: erasure.run,
    importing.KIND: importing.run,
    "memory_runner": memory_runner.run,
    documents.KIND: documents.run,
    learned_vectors.KIND: learned_vectors.run,
    saved_vectors.KIND: saved_vectors.run,
    lessons.KIND: lessons.run,
    used_facts.KIND: used_facts.run,
    "decay": used_facts.decay,
    recurring.KIND: recurring.run,
    attachments.KIND: attachments.run,
    context_vectors.KIND: context_vectors.run,
    autonomous.KIND: autonomous.run,
    "heartbeat": beat,
    "sweep": sweep.run,
    "snapshots": snapshots.run,
    "graphs": grow_graphs,
    "measures": measures.run,
    "prune": sweep.prune,
    retention.KIND: retention.run,
}


# A worker looks for its next job by itself for so long, before it listens to the cluster again.
TURN_SECONDS = 2.0


def work(job_id: int) -> None:
    """Do what is ready, the job among it, as a worker does it: what the queue calls."""
    with heartbeat.beating():
        run_job(job_id)
        ends = time.monotonic() + TURN_SECONDS
        while time.monotonic() < ends and (run := queue.next_run()):
            do(run, KINDS)


def run_job(job_id: int) -> None:
    """Claim a job and do it. Never raises: how it went stands in the job's row."""
    attempt(job_id, KINDS)

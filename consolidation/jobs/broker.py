"""django-q2's queue, answered from the Job table.

The stock broker keeps signed pickles in a table of its own: a second truth, which loses jobs when
the key changes and repeats for ever what kills its worker. Here nothing is stored but the job.
"""

import time

from django.db import close_old_connections
from django_q.brokers import Broker
from django_q.conf import Conf
from django_q.signing import SignedPackage

from consolidation.jobs import schedules
from consolidation.jobs.queue import take
from consolidation.models import Job

WORK = "consolidation.job_kinds.work"


class JobBroker(Broker):  # type: ignore[misc]  # the package is untyped
    """Hands out the ids of due jobs. Acknowledging is the job row's own affair."""

    def dequeue(self) -> list[tuple[int, str]] | None:
        close_old_connections()
        schedules.ensure()
        found = take(Conf.BULK)
        if not found:
            time.sleep(Conf.POLL)
            return None
        return [(job, _package(job)) for job in found]

    def queue_size(self) -> int:
        return Job.objects.filter(state=Job.State.DUE).count()

    def lock_size(self) -> int:
        return Job.objects.filter(state=Job.State.RUNNING).count()

    def ping(self) -> bool:
        return True

    def info(self) -> str:
        return "jobs"


def _package(job: int) -> str:
    # Signed and read within one process: the payload never rests anywhere.
    task = {"id": str(job), "name": str(job), "func": WORK, "args": (job,), "kwargs": {}}
    package: str = SignedPackage.dumps(task | {"started": None})
    return package

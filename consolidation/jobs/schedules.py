"""Every periodic job in one table."""

import time

from django.conf import settings

from consolidation.jobs.heartbeat import BEAT_SECONDS
from consolidation.jobs.queue import enqueue
from consolidation.models import Job

# Kind of job to the seconds between two rounds. Each has one row for ever.
PERIODIC: dict[str, float] = {
    "heartbeat": BEAT_SECONDS,
    "sweep": 30,
    "snapshots": 60,
    "graphs": 300,
    "measures": 3600,
    "prune": 3600,
    "retention": 3600,
    "memory_runner": settings.SYNTHESIS_SECONDS,
    "decay": 3600,
}
ENSURE_SECONDS = 15.0
_ensured_at = [float("-inf")]


def ensure() -> None:
    """Make sure, now and then, that each periodic job has its row, whoever deleted or ended it."""
    if time.monotonic() - _ensured_at[0] < ENSURE_SECONDS:
        return
    present = set(Job.objects.open().filter(kind__in=PERIODIC).values_list("kind", flat=True))
    for kind in PERIODIC.keys() - present:
        enqueue(kind=kind, key="periodic")
    _ensured_at[0] = time.monotonic()

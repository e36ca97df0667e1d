"""Jobs a second through our queue, against django-q2's own broker over the same database."""

import os
import signal
import subprocess
import sys
import time

import psycopg
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from bench.measure import show_rates

JOBS, SECONDS = 1_000, 300
ENQUEUE = """
insert into consolidation_job (kind, key, subject, state, attempts, max_attempts, fence, last_error_code, priority)
select 'nothing', n::text, '', 'due', 0, 5, 0, '', 3 from generate_series(1, %s) n
"""
LEFT = {
    "ours": "select count(*) from consolidation_job where kind = 'nothing' and state <> 'done'",
    "stock": "select count(*) from django_q_ormq",
}


def jobs(raw: psycopg.Connection) -> None:
    raw.execute(ENQUEUE, (JOBS,))
    _enqueue_stock()
    raw.execute("vacuum analyze")
    show_rates(
        "jobs, 4 workers: ours against the stock broker",
        rate(raw, "ours"),
        rate(raw, "stock"),
        "≥ 5",
    )


def rate(raw: psycopg.Connection, name: str) -> float:
    """Return how many jobs a second are finished, from the first one on: starting does not count."""
    cluster = subprocess.Popen([sys.executable, "-m", "bench.cluster", name], stderr=sys.stderr)
    try:
        return _watch(raw, LEFT[name])
    finally:
        cluster.send_signal(signal.SIGTERM)
        try:
            cluster.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.kill(cluster.pid, signal.SIGKILL)


def _watch(raw: psycopg.Connection, left: str) -> float:
    until = time.monotonic() + SECONDS
    began, at_first, remaining = 0.0, JOBS, JOBS
    while remaining:
        if time.monotonic() > until:
            raise TimeoutError(f"{remaining} of {JOBS} jobs are left after {SECONDS} seconds")
        time.sleep(0.01)
        ((remaining,),) = raw.execute(left, prepare=True).fetchall()
        if not began and remaining < JOBS:
            began, at_first = time.monotonic(), remaining
    return at_first / (time.monotonic() - began)


def _enqueue_stock() -> None:
    task = {"func": "math.floor", "args": (1.5,), "kwargs": {}, "started": timezone.now()}
    OrmQ.objects.bulk_create(
        OrmQ(
            key=Conf.CLUSTER_NAME,
            payload=SignedPackage.dumps(task | {"id": f"{n:032x}", "name": str(n)}),
            lock=timezone.now(),
        )
        for n in range(JOBS)
    )

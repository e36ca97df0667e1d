"""The sign of life of the workers."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import Error, connection

BEAT_SECONDS = 2.0
# Longer than this without a sign, and the workers are taken for dead.
SILENT_SECONDS = 8.0
BEAT = """
insert into consolidation_workerheartbeat (host, at) values (%s, now())
on conflict (host) do update set at = now()
"""
_beaten_at = [float("-inf")]


def beat() -> None:
    """Note that a worker of this host is at work."""
    with connection.cursor() as cursor:
        cursor.execute(BEAT, (socket.gethostname(),))
    _beaten_at[0] = time.monotonic()


@contextmanager
def beating() -> Iterator[None]:
    """Give signs of life around a block and while it runs, however long it takes.

    A sign comes only with a job: a cluster that hands out none any more is as good as dead.
    """
    if time.monotonic() - _beaten_at[0] > BEAT_SECONDS:
        _try()
    has_ended = threading.Event()
    threading.Thread(target=_beat_until, args=(has_ended,), daemon=True).start()
    try:
        yield
    finally:
        has_ended.set()


def seconds_since_last() -> float | None:
    """Return the age of the newest sign of life, by the database's clock; None before the first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select extract(epoch from now() - max(at))::float8 from consolidation_workerheartbeat"
        )
        row: tuple[float | None] = cursor.fetchone()
    return row[0]


def seconds_since_host() -> float | None:
    """Return the age of this host's own newest sign of life; None before the first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select extract(epoch from now() - at)::float8 from consolidation_workerheartbeat "
            "where host = %s",
            (socket.gethostname(),),
        )
        row: tuple[float] | None = cursor.fetchone()
    return row[0] if row else None


def _beat_until(has_ended: threading.Event) -> None:
    while not has_ended.wait(BEAT_SECONDS):
        _try()
        # The connection is this thread's own, and jobs of this length are few.
        connection.close()


def _try() -> None:
    """Beat, if the database can be asked: whether it can is the job's affair."""
    try:
        beat()
    except Error:
        connection.close()

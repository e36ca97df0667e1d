"""The sign of life of the workers."""

import socket

from django.db import connection

BEAT = """
insert into consolidation_workerheartbeat (host, at) values (%s, now())
on conflict (host) do update set at = now()
"""


def beat() -> None:
    """Note that a worker of this host is at work."""
    with connection.cursor() as cursor:
        cursor.execute(BEAT, (socket.gethostname(),))


def seconds_since_last() -> float | None:
    """Return the age of the newest sign of life, by the database's clock; None before the first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select extract(epoch from now() - max(at))::float8 from consolidation_workerheartbeat"
        )
        row: tuple[float | None] = cursor.fetchone()
    return row[0]

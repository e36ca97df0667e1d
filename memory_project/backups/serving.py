"""A database that answers, for a command that needs no more than that."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import OperationalError, connection

from memory_project.alone import alone
from memory_project.embedded import Server


@contextmanager
def answering(data: Path, *, embedded: bool) -> Iterator[None]:
    """Use the database that runs, or start the embedded one for as long as it takes.

    Raises ServerFailed, RunsAlready, or OperationalError if there is none to start.
    """
    try:
        connection.ensure_connection()
    except OperationalError:
        if not embedded or not (Server(data).cluster / "PG_VERSION").exists():
            raise
    else:
        yield
        return
    with alone(data):
        server = Server(data)
        try:
            server.start()
            yield
        finally:
            connection.close()
            server.stop()

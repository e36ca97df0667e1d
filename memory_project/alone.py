"""One at a time on a data folder: what starts everything, and what takes its place."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RunsAlready(Exception):
    """Somebody else has the data folder; the text says what to do."""


@contextmanager
def alone(data: Path) -> Iterator[None]:
    """Hold the data folder. Raises RunsAlready."""
    with (data / "up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RunsAlready(
                f"Recollect runs already on {data}: stop it with Ctrl-C, or set RECOLLECT_DATA"
            ) from error
        yield

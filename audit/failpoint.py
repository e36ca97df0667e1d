"""Named places where a test may kill, stop or delay the process; inert in every other run."""

import os
import signal
import time
from pathlib import Path

FOLDER = os.environ.get("RECOLLECT_FAILPOINTS")


class FailpointReached(Exception):
    """A test asked for a failure here."""


def failpoint(name: str) -> None:
    """Do what the file `name` in the failpoint folder says, once: kill, raise or sleep SECONDS.

    The file is consumed first, so that the process that comes after does not fail again.
    """
    if FOLDER is None:
        return
    path = Path(FOLDER) / name
    try:
        action, _, argument = path.read_text(encoding="utf-8").strip().partition(" ")
        path.unlink()
    except FileNotFoundError:
        return
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "raise":
        raise FailpointReached(name)
    elif action == "sleep":
        time.sleep(float(argument))

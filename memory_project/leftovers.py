"""What a supervisor that was killed left running."""

import contextlib
import os
import signal
import time
from pathlib import Path

# In the environment of all that a supervisor starts, and so of all that those start.
MARK = "RECOLLECT_SUPERVISED_FOR"
LONGEST_WAIT = 10.0


def end_leftovers(data: Path) -> None:
    """Kill the programs of a data folder's earlier supervisor; return once they and their ports are gone."""
    deadline = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < deadline and (left := leftovers(data)):
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)


def leftovers(data: Path) -> list[int]:
    wanted = os.fsencode(f"{MARK}={data}")
    return [
        int(one.parent.name) for one in Path("/proc").glob("[0-9]*/environ") if _has(one, wanted)
    ]


def _has(environment: Path, wanted: bytes) -> bool:
    try:
        return wanted in environment.read_bytes().split(b"\0")
    except OSError:
        # Gone by now, or somebody else's.
        return False

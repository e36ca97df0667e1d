"""Child processes that end with their parent, with all that they started."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1
STOP_SECONDS = 25.0
# The more often something dies, the longer it rests, up to this.
LONGEST_REST = 10.0


def dies_with_parent(number: int) -> None:
    """Ask the kernel to send this process a signal when its parent dies. Runs in the child."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


@dataclass(slots=True)
class Child:
    """A program in a process group of its own, so that all it starts can be ended with it."""

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    deaths: int = 0

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603 - our own commands
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | self.environment,
                start_new_session=True,
                preexec_fn=lambda: dies_with_parent(signal.SIGTERM),
            )
        self.started_at = time.monotonic()

    @property
    def group(self) -> int | None:
        return self.process.pid if self.process else None

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def restart(self) -> None:
        """Kill what is left of the group and start anew, after a rest that grows with the deaths."""
        end_group(self.group)
        is_settled = time.monotonic() - self.started_at > 60
        self.deaths = 1 if is_settled else self.deaths + 1
        time.sleep(min(0.2 * 2**self.deaths, LONGEST_REST))
        self.start()

    def stop(self) -> None:
        """End it in good order, then whatever is left of its group."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_SECONDS)
        end_group(self.group)
        if self.process is not None:
            self.process.wait()


def end_group(group: int | None) -> None:
    """Kill a process group; one that is gone is none."""
    if group is not None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)

"""A whole installation of its own, in a folder of its own, to measure against."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Installation:
    """A running Recollect and the key of its agent."""

    url: str
    key: str
    process: subprocess.Popen[bytes]

    def call(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """Send one request; returns the decoded answer. Raises HTTPError for a failure."""
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}",
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read())

    def text(self, path: str) -> str:
        with urllib.request.urlopen(f"{self.url}/{path}", timeout=60) as answer:
            return answer.read().decode()

    def processor_seconds(self) -> float:
        """Return the processor time that its processes have taken, the database's among them."""
        rows = dict(_processes())
        own = {self.process.pid}
        while more := {pid for pid, (parent, _) in rows.items() if parent in own} - own:
            own |= more
        return sum(ticks for pid, (_, ticks) in rows.items() if pid in own) / os.sysconf(
            "SC_CLK_TCK"
        )


def _processes() -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield of each process its id, its parent's, and the ticks that it and its ended children took."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name before them may hold blanks and parentheses.
            values = path.read_text().rpartition(")")[2].split()
            yield int(path.parent.name), (int(values[1]), sum(map(int, values[11:15])))


def as_operator(server: Installation, data: Path) -> Installation:
    """Return the installation as its operator calls it: with a key issued on its data folder."""
    return replace(server, key=manage(data, "issue_key").strip().splitlines()[-1])


def manage(data: Path, *command: str) -> str:
    """Run a command of manage.py on a data folder and return what it prints. Raises when it fails."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command],
        cwd=ROOT,
        env=os.environ | {"RECOLLECT_DATA": str(data)},
        check=True,
        capture_output=True,
        text=True,
    )
    return run.stdout


@contextmanager
def installation(
    data: Path, environment: Mapping[str, str], root: Path = ROOT
) -> Iterator[Installation]:
    """Run `manage.py up` of a checkout on a data folder and a free port until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {"RECOLLECT_DATA": str(data), "RECOLLECT_PORT": str(port)}
    own["RECOLLECT_REQUESTS_PER_SECOND"] = "0"
    data.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(root / "manage.py"), "up"]
    with (data / "up.log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=root, env=os.environ | own | environment, stdout=log, stderr=log
        )
    try:
        yield Installation(f"http://127.0.0.1:{port}", _key(data, port, process), process)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def _key(data: Path, port: int, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5)
        except OSError:
            time.sleep(0.3)
        else:
            return json.loads((data / "up.json").read_text())["agent_key"]
    sys.exit(f"the installation does not start; see {data / 'up.log'}")

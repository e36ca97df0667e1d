"""Web servers and workers that nobody supervises, several of each on one database."""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_project.embedded import Server
from tests.live.installation import ROOT, free_port

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def data(empty_folder: Path) -> Iterator[Path]:
    server = Server(empty_folder)
    server.start()
    yield empty_folder
    server.stop()


def command(data: Path, *arguments: str, **environment: str) -> tuple[list[str], dict[str, str]]:
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    own = {"RECOLLECT_DATA": str(data), "RECOLLECT_EMBEDDER": "hashing", "RECOLLECT_WORKERS": "1"}
    return [sys.executable, str(ROOT / "manage.py"), *arguments], kept | own | environment


def run(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    line, environment = command(data, *arguments)
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


def start(data: Path, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    line, environment = command(data, *arguments, **environment)
    with (data / f"{arguments[0]}.log").open("ab") as log:
        return subprocess.Popen(line, env=environment, stdout=log, stderr=log)


def is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.3)


def test_several_of_each_serve_one_database(data: Path) -> None:
    prepared = run(data, "setup")
    assert prepared.returncode == 0, prepared.stderr
    key = (data / "up.json").read_text()
    assert "up.json" in prepared.stdout
    assert run(data, "worker", "--check").returncode == 1

    ports = [free_port(), free_port()]
    webs = [
        start(data, "web", RECOLLECT_PORT=str(port), RECOLLECT_WEB_PROCESSES="1") for port in ports
    ]
    workers = [start(data, "worker"), start(data, "worker")]
    wait_until(lambda: all(is_ready(port) for port in ports))

    assert run(data, "worker", "--check").returncode == 0
    assert "is taken" in run_on(data, ports[0])
    assert run(data, "setup").returncode == 0
    assert (data / "up.json").read_text() == key
    for process in (*webs, *workers):
        process.terminate()
    assert [process.wait(60) for process in (*webs, *workers)] == [0, 0, 0, 0]


def run_on(data: Path, port: int) -> str:
    line, environment = command(data, "web", RECOLLECT_PORT=str(port))
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr

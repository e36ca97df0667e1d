"""Ending what a killed supervisor left running."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_project.leftovers import MARK, end_leftovers, leftovers

pytestmark = pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
SLEEP = "import time; time.sleep(60)"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEP!r}])"
Start = Callable[[str, Path], subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def launch(code: str, data: Path) -> subprocess.Popen[bytes]:
        environment = os.environ | {MARK: str(data)}
        started.append(subprocess.Popen([sys.executable, "-c", code], env=environment))
        return started[-1]

    yield launch
    for one in started:
        one.kill()
        one.wait()


def test_it_ends_a_program_of_the_folder(start: Start, tmp_path: Path):
    program = start(SLEEP, tmp_path)

    end_leftovers(tmp_path)

    assert program.wait(10) == -9
    assert leftovers(tmp_path) == []


def test_it_ends_what_the_program_started(start: Start, tmp_path: Path):
    start(PARENT, tmp_path)
    while len(leftovers(tmp_path)) < 2:
        pass

    end_leftovers(tmp_path)

    assert leftovers(tmp_path) == []


def test_it_spares_another_installation(start: Start, tmp_path: Path):
    other = start(SLEEP, tmp_path / "other")

    end_leftovers(tmp_path)

    assert other.poll() is None

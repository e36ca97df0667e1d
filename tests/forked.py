"""A management command in a process of its own, which a failpoint may kill."""

import os
import sys
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from audit import failpoint

SECONDS = 60


def begun(folder: Path, *arguments: str) -> ForkProcess:
    """Start a command on the database of the test; what its failpoints do lies in `folder`.

    A fork of what is loaded already: a start of Python and Django for each kill takes long.
    """
    # A connection serves one process.
    connection.close()
    process = get_context("fork").Process(target=_run, args=(folder, arguments))
    process.start()
    return process


def ended(folder: Path, *arguments: str, failpoint: str = "") -> int:
    """Return the exit code of a command, the negative signal after a kill at a named failpoint."""
    if failpoint:
        (folder / failpoint).write_text("kill")
    return code_of(begun(folder, *arguments))


def code_of(process: ForkProcess) -> int:
    process.join(SECONDS)
    assert process.exitcode is not None, f"still running after {SECONDS} s"
    return process.exitcode


def _run(folder: Path, arguments: tuple[str, ...]) -> None:
    failpoint.FOLDER = str(folder)
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    with open(os.devnull, "w", encoding="utf-8") as sys.stdout:
        call_command(*arguments)
    connection.close()

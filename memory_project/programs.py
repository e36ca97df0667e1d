"""The programs of a running server: what to execute, and with which environment."""

import os
import shutil
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memory_project.traffic import FOLDER

ROOMS = "RECOLLECT_INCOGNITO"


@dataclass(frozen=True, slots=True)
class Program:
    """`environment` is added to this process's own."""

    command: list[str]
    environment: dict[str, str]

    def execute(self) -> None:
        """Replace this process by the program, which then gets its signals."""
        os.execvpe(self.command[0], self.command, os.environ | self.environment)  # noqa: S606


def holder(rooms: str) -> Program:
    """Return what holds incognito sessions, behind the socket `rooms`."""
    return Program(_managed("incognito"), _environment() | {ROOMS: rooms})


def web(data: Path, rooms: str) -> Program:
    """Return the web server, as the settings shape it; `rooms` holds its incognito sessions."""
    host = f"[{settings.BIND}]" if ":" in settings.BIND else settings.BIND
    command = [sys.executable, "-m", "gunicorn", "memory_project.wsgi", "--no-control-socket"]
    command += ["--worker-class", "gthread", "--workers", str(settings.WEB_PROCESSES)]
    command += ["--threads", str(settings.WEB_THREADS), "--bind", f"{host}:{settings.PORT}"]
    command += ["--graceful-timeout", "20", "--log-level", "warning"]
    # Several web servers may share a data folder: each counts its own requests.
    counts = _emptied(data / "traffic" / f"{socket.gethostname()}-{settings.PORT}")
    return Program(command, _environment() | {FOLDER: str(counts), ROOMS: rooms})


def worker() -> Program:
    # A statement of a worker may take long; nobody waits for it.
    patience = {"RECOLLECT_STATEMENT_SECONDS": "0", "RECOLLECT_CONNECTION_SECONDS": "600"}
    return Program(_managed("qcluster"), _environment() | patience)


def _managed(name: str) -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), name]


def _emptied(folder: Path) -> Path:
    """Return a folder with nothing in it: counts begin anew with the processes that made them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _environment() -> dict[str, str]:
    threads = str(settings.EMBEDDER_THREADS)
    return {
        "OPENBLAS_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
        "PYTHONPATH": os.pathsep.join(
            [str(settings.BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        "DJANGO_SETTINGS_MODULE": "memory_project.settings",
    }

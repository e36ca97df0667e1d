"""Run the database, the web server and the workers, and keep them running."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import Error, connection

from consolidation.jobs.heartbeat import seconds_since_last
from memory_project.embedded import Server
from memory_project.leftovers import MARK
from memory_project.process import Child
from memory_project.traffic import FOLDER

ROOMS = "RECOLLECT_INCOGNITO"
LOOK_SECONDS = 0.5
# A killed worker can stop a whole django-q2 cluster without ending it: silence shows it. Longer
# than what makes the health page say so, because a restart is not undone.
SILENT_SECONDS = 60.0
BEAT_LOOK_SECONDS = 10.0


def holder(data: Path, rooms: str) -> Child:
    """Return what holds incognito sessions, behind the socket `rooms`."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "incognito"]
    return Child("holder", command, data / "holder.log", _environment() | {ROOMS: rooms})


def web(data: Path, port: int, rooms: str = "") -> Child:
    gunicorn = [sys.executable, "-m", "gunicorn", "memory_project.wsgi", "--no-control-socket"]
    shape = ["--worker-class", "gthread", "--workers", "2", "--threads", "4"]
    place = ["--bind", f"127.0.0.1:{port}", "--graceful-timeout", "20", "--log-level", "warning"]
    own = {FOLDER: str(_emptied(data / "traffic")), ROOMS: rooms}
    return Child("web", [*gunicorn, *shape, *place], data / "web.log", _environment() | own)


def workers(data: Path) -> Child:
    # A statement of a worker may take long; nobody waits for it.
    own = {"RECOLLECT_STATEMENT_SECONDS": "0", "RECOLLECT_CONNECTION_SECONDS": "600"}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "qcluster"]
    return Child("workers", command, data / "workers.log", _environment() | own)


def _emptied(folder: Path) -> Path:
    """Return a folder with nothing in it: counts begin anew with the processes that made them."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _environment() -> dict[str, str]:
    threads = str(settings.EMBEDDER_THREADS)
    return {
        MARK: str(settings.DATA_DIR),
        "OPENBLAS_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
        "PYTHONPATH": os.pathsep.join(
            [str(settings.BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        "DJANGO_SETTINGS_MODULE": "memory_project.settings",
    }


@dataclass(slots=True)
class Supervisor:
    """Restarts what dies: the database first, because the others cannot do without."""

    server: Server | None
    children: list[Child]
    say: Callable[[str], object]
    beat_looked_at: float = field(default_factory=time.monotonic)

    def start(self) -> None:
        for child in self.children:
            child.start()

    def watch(self, is_stopping: Callable[[], bool]) -> None:
        """Look after all of them until told to stop."""
        while not is_stopping():
            self.look()
            time.sleep(LOOK_SECONDS)

    def look(self) -> None:
        if self.server is not None and not self.server.is_alive():
            self.say("The database ended; starting it again.")
            self.server.start()
        for child in self.children:
            if not child.is_alive():
                self.say(f"The {child.name} ended; starting again (see {child.log}).")
                child.restart()
        if time.monotonic() - self.beat_looked_at > BEAT_LOOK_SECONDS:
            self.beat_looked_at = time.monotonic()
            self._look_at_the_beat()

    def stop(self) -> None:
        for child in reversed(self.children):
            child.stop()
        connection.close()
        if self.server is not None:
            self.server.stop()

    def _look_at_the_beat(self) -> None:
        cluster = next(child for child in self.children if child.name == "workers")
        if time.monotonic() - cluster.started_at < SILENT_SECONDS:
            return
        try:
            silence = seconds_since_last()
        except Error:
            connection.close()
            return
        if silence is None or silence > SILENT_SECONDS:
            self.say("The workers are silent; starting them again.")
            cluster.restart()

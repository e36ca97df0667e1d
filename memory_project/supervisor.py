"""Run the database, the web server and the workers, and keep them running."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.db import Error, connection

from consolidation.jobs.heartbeat import seconds_since_last
from memory_project.embedded import Server
from memory_project.leftovers import MARK
from memory_project.process import Child
from memory_project.programs import holder, web, worker

LOOK_SECONDS = 0.5
# A killed worker can stop a whole django-q2 cluster without ending it: silence shows it. Longer
# than what makes the health page say so, because a restart is not undone.
SILENT_SECONDS = 60.0
BEAT_LOOK_SECONDS = 10.0


def children(data: Path, rooms: str) -> list[Child]:
    """Return all that runs beside the database; `rooms` is the socket of incognito sessions."""
    programs = {"holder": holder(rooms), "web": web(data, rooms), "workers": worker()}
    # By the mark a later start finds, and ends, what this one leaves behind.
    own = {MARK: str(data)}
    return [
        Child(name, program.command, data / f"{name}.log", own | program.environment)
        for name, program in programs.items()
    ]


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

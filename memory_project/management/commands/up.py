"""Start everything, and say how to use it."""

import os
import signal
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from accounts.modes import NAMES
from consolidation.intake.closing import end_open_sessions
from memory_project import facts
from memory_project.address import AddressTaken, check_port, is_ready, reached_at
from memory_project.alone import RunsAlready, alone
from memory_project.embedded import Server
from memory_project.installation import DatabaseUnfit, prepare
from memory_project.leftovers import end_leftovers
from memory_project.server_files import ServerFailed
from memory_project.supervisor import Supervisor, children

READY_SECONDS = 90.0


class Command(BaseCommand):
    help = "Start the database, the web server and the workers; Ctrl-C stops them all."
    requires_system_checks = ()
    is_stopping = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        about = "the most that a session may keep, as RECOLLECT_MODE says it otherwise"
        parser.add_argument("--mode", choices=tuple(NAMES), help=about)

    def handle(self, *, mode: str | None = None, **options: object) -> None:
        if mode is not None:
            # For all that is started here as well.
            settings.MODE = os.environ["RECOLLECT_MODE"] = mode
        data: Path = settings.DATA_DIR
        try:
            data.mkdir(parents=True, exist_ok=True)
            with alone(data):
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, self._stop)
                self._run(data)
        except (AddressTaken, DatabaseUnfit, RunsAlready, ServerFailed) as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{error}; check the folder, or set RECOLLECT_DATA") from error

    def _run(self, data: Path) -> None:
        end_leftovers(data)
        check_port(settings.PORT, settings.BIND)
        server = None if settings.DATABASE_URL else Server(data)
        # Nobody else's to walk into, and gone with the server.
        folder = tempfile.TemporaryDirectory(prefix="recollect-")
        rooms = f"{folder.name}/rooms"
        supervisor = Supervisor(server, children(data, rooms), self.stdout.write)
        try:
            self._start(data, supervisor)
            supervisor.watch(lambda: self.is_stopping)
            self.stdout.write("Stopping …")
            if settings.ON_SHUTDOWN == "end":
                self.stdout.write(f"Ended {end_open_sessions()} sessions.")
        finally:
            supervisor.stop()
            folder.cleanup()

    def _start(self, data: Path, supervisor: Supervisor) -> None:
        if supervisor.server is not None:
            supervisor.server.start()
            self._say_where(data, supervisor.server)
        known = prepare()
        connection.close()
        facts.write(data, known)
        if self.is_stopping:
            return
        supervisor.start()
        self._wait_until_ready(supervisor)
        if not self.is_stopping:
            self.stdout.write(facts.welcome(data, known))
            self.stdout.flush()

    def _wait_until_ready(self, supervisor: Supervisor) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self.is_stopping and not is_ready(settings.PORT, reached_at(settings.BIND)):
            if time.monotonic() > deadline:
                raise CommandError(
                    f"not ready after {READY_SECONDS:.0f} s; see {settings.DATA_DIR}/*.log"
                )
            supervisor.look()
            time.sleep(0.2)

    def _say_where(self, data: Path, server: Server) -> None:
        if not server.home.is_relative_to(data):
            self.stdout.write(f"The database is kept in {server.home}, since {data} is closed.")

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.is_stopping = True

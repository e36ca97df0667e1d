"""Run workers alone."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from consolidation.jobs.heartbeat import seconds_since_host
from memory_project.programs import worker

# With a dozen hosts that share the work, each still hears of a job well within this.
SILENT_SECONDS = 120.0


class Command(BaseCommand):
    help = "Run the workers in the foreground; several hosts may share the work."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        about = "run nothing; fail where this host's workers have given no sign for two minutes"
        parser.add_argument("--check", action="store_true", help=about)

    def handle(self, *, check: bool = False, **options: object) -> None:
        if not check:
            worker().execute()
        try:
            silence = seconds_since_host()
        except DatabaseError as error:
            raise CommandError(f"cannot connect: {str(error).strip().splitlines()[0]}") from error
        if silence is None or silence > SILENT_SECONDS:
            raise CommandError("the workers of this host are silent")
        self.stdout.write(f"last heard of {silence:.0f} s ago")

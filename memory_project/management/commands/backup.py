"""Write all that is remembered into one file."""

from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from tqdm import tqdm

from accounts.errors import Fault
from memory_project.alone import RunsAlready
from memory_project.backups.making import BackupContents, Progress, make_backup
from memory_project.backups.serving import answering
from memory_project.server_files import ServerFailed


class Command(BaseCommand):
    help = "Write the database and the workspaces into FILE, which its owner alone can read."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the archive; one that is there is replaced")

    def handle(self, *, file: Path, **options: object) -> None:
        try:
            with answering(settings.DATA_DIR, embedded=not settings.DATABASE_URL):
                made = _made(file)
        except Fault as fault:
            raise CommandError(f"{fault.code}: {fault}. {fault.hint}") from fault
        except (RunsAlready, ServerFailed) as refusal:
            raise CommandError(str(refusal)) from refusal
        except OperationalError as error:
            said = str(error).strip().splitlines()[0]
            raise CommandError(f"no database to back up: {said}") from error
        self.stdout.write(f"{file}: {made.bytes:,} bytes in {made.seconds:.1f} s")
        if made.unread:
            named = ", ".join(made.unread)
            self.stderr.write(
                f"NOT IN IT: {named}. The database's user may not read them: back up as a superuser."
            )
        self.stdout.write("Keep secrets.json and erasures.jsonl of the data folder elsewhere too.")


def _made(file: Path) -> BackupContents:
    with tqdm(unit="table", disable=None) as bar:
        return make_backup(file, Progress(bar.reset, bar.update))

"""Bring back what a backup holds, and forget again what was forgotten since."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from tqdm import tqdm

from accounts.errors import Fault
from memory_project.alone import RunsAlready, alone
from memory_project.backups.restoring import Restored, restore
from memory_project.embedded import Server
from memory_project.server_files import ServerFailed


class Command(BaseCommand):
    help = "Bring FILE back into an empty installation; what was erased since is erased again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="an archive that `backup` wrote")
        about = "erasures.jsonl of another data folder of the installation; may be given again"
        parser.add_argument("--ledger", type=Path, action="append", default=[], help=about)
        about = "take an archive of another secret key: it runs as SQL, so trust it first"
        parser.add_argument("--foreign", action="store_true", help=about)

    def handle(self, *, file: Path, ledger: list[Path], foreign: bool, **options: object) -> None:
        data: Path = settings.DATA_DIR
        try:
            data.mkdir(parents=True, exist_ok=True)
            with alone(data), _database(data):
                done = restore(file, ledgers=ledger, is_foreign=foreign, stage=_stage)
        except Fault as fault:
            raise CommandError(f"{fault.code}: {fault}. {fault.hint}") from fault
        except (RunsAlready, ServerFailed) as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{error.filename or file}: {error.strerror}") from error
        except DatabaseError as error:
            raise CommandError(str(error).strip().splitlines()[0]) from error
        self._say(done)

    def _say(self, done: Restored) -> None:
        self.stdout.write(f"{done.rows:,} rows, {done.files} files, {done.sessions} chains hold")
        again = done.again
        self.stdout.write(
            f"again since the backup: {again.erased} erased, {again.forgotten} forgotten, "
            f"{again.taken_back} taken back"
        )
        if again.strangers:
            self.stderr.write(
                f"{again.strangers} LINES OF THE LEDGER NAME NOBODY WHO IS HERE: with another key than "
                "the backup's nothing can be forgotten again. Restore with its secrets.json."
            )
        if done.lines is None:
            self.stderr.write(
                "NO LEDGER: nothing could be forgotten again. Whoever was erased, and whatever was "
                "forgotten, after this backup was made, IS BACK. If you find erasures.jsonl, "
                "restore once more into an empty installation, with --ledger."
            )


@contextmanager
def _database(data: Path) -> Iterator[None]:
    """Start the embedded server for as long as it takes, unless another is configured."""
    server = None if settings.DATABASE_URL else Server(data)
    try:
        if server is not None:
            server.start()
        yield
    finally:
        connection.close()
        if server is not None:
            server.stop()


@contextmanager
def _stage(name: str, total: int | None) -> Iterator[Callable[[int], object]]:
    with tqdm(desc=name, total=total, unit_scale=True, disable=None) as bar:
        yield bar.update

"""Make a backup: one archive of the database, the workspaces, and what proves both."""

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import psycopg
from django.conf import settings
from django.utils import timezone

from accounts.ids import new_id
from audit.backups import note_backup
from consolidation.deletion import ledger
from knowledge.workspace.folder import root
from memory_project.backups.archive import DUMP, FILES, ArchiveWriter, writing
from memory_project.backups.errors import BackupFailed
from memory_project.backups.programs import BackupTarget, beside, first_error, program, target
from memory_project.backups.stock import Stock, take_stock

ENDLESS = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=0"
# Agents' schemas are views and roles of one server: they are made anew where it is restored.
FLAGS = (
    "--format=custom",
    "--no-owner",
    "--no-privileges",
    "--no-comments",
    "--schema=public",
    "--verbose",
)
TABLE = "dumping contents of table"


@dataclass(frozen=True, slots=True)
class BackupContents:
    """`unread` are the tables that the database's user may not read: they are not in it."""

    bytes: int
    seconds: float
    unread: list[str]


@dataclass(frozen=True, slots=True)
class Progress:
    """Told how many steps there are once that is known, and then of each."""

    begin: Callable[[int], object]
    step: Callable[[], object]


def make_backup(path: Path, progress: Progress) -> BackupContents:
    """Write the archive under a name beside, and put it in its place when it is whole.

    Raises BackupFailed, ProgramsMissing or LedgerUnwritable.
    """
    # It is there from the first backup on: where it is not, it was lost.
    ledger.add([])
    begun, id = time.monotonic(), str(new_id())
    path = path.resolve()
    with _written(path) as (archive, dump):
        at = timezone.now()
        stock = _dump(dump, progress)
        with archive.open("wb") as file:
            with writing(file) as writer:
                with dump.open("rb") as whole:
                    writer.add(DUMP, whole)
                _add_files(writer)
                about = {"id": id, "at": at.isoformat(), "version": settings.VERSION}
                writer.seal(about | asdict(stock))
            progress.step()
            file.flush()
            os.fsync(file.fileno())
        archive.replace(path)
        _keep_names(path.parent)
    made = BackupContents(path.stat().st_size, time.monotonic() - begun, stock.unread)
    note_backup(id=id, bytes=made.bytes, seconds=round(made.seconds))
    return made


@contextmanager
def _written(path: Path) -> Iterator[tuple[Path, Path]]:
    """Make two files that their owner alone reads; none is left behind."""
    made = (beside(path, "tar"), beside(path, "dump"))
    try:
        for one in made:
            os.close(os.open(one, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
        yield made
    except OSError as error:
        raise BackupFailed(f"{path}: {error.strerror}") from error
    finally:
        for one in made:
            with contextlib.suppress(FileNotFoundError):
                one.unlink()


def _dump(dump: Path, progress: Progress) -> Stock:
    """Dump the database as it is at one moment, and count it as it was at the same."""
    found = target()
    command = program("pg_dump", found.server)
    with psycopg.connect(found.address, password=found.password, options=ENDLESS) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        row = connection.execute("select pg_export_snapshot()").fetchone()
        assert row is not None  # noqa: S101 - a function returns a row
        stock = take_stock(connection)
        progress.begin(len(stock.tables) + 1)
        _run(command, found, str(row[0]), stock, dump, progress)
    return stock


def _run(
    command: str, found: BackupTarget, snapshot: str, stock: Stock, dump: Path, progress: Progress
) -> None:
    without = [f"--exclude-table-data=public.{name}" for name in stock.unread]
    asked = [f"--snapshot={snapshot}", f"--dbname={found.address}", *without]
    with (
        dump.open("wb") as file,
        subprocess.Popen(  # noqa: S603 - PostgreSQL's own
            [command, *FLAGS, *asked],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.PIPE,
            text=True,
            env=found.environment,
        ) as process,
    ):
        assert process.stderr is not None  # noqa: S101 - a pipe
        complaints = []
        for line in process.stderr:
            if TABLE in line:
                progress.step()
            elif "error:" in line:
                complaints.append(line)
    if process.returncode:
        raise BackupFailed(first_error("".join(complaints)))


def _add_files(writer: ArchiveWriter) -> None:
    """Add the workspaces' files. Links are none, nor is what is only being written."""
    base = root()
    for place, folders, names in os.walk(base):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if name == ".lock" or (name.startswith(".") and name.endswith(".new")):
                continue
            try:
                number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            except OSError:
                # A link, or gone meanwhile.
                continue
            with open(number, "rb") as file:
                writer.add(f"{FILES}{path.relative_to(base).as_posix()}", file)


def _keep_names(folder: Path) -> None:
    """Have the disk keep a rename."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)

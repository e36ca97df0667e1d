"""Bring an archive back, and forget again what was forgotten since it was made."""

import contextlib
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO

import psycopg
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from accounts.models import Owner
from accounts.schemas import agents_without_schema, ensure_schemas
from audit.backups import ACTOR, RESTORED, is_restoring
from audit.failpoint import failpoint
from audit.log import record
from audit.models import AuditEntry
from consolidation.deletion import ledger
from knowledge.workspace.folder import root
from memory.events import verify_chain
from memory.models import Session
from memory_project.backups.archive import DUMP, FILES, Archive, opened
from memory_project.backups.errors import (
    BackupDamaged,
    BackupNewer,
    InstallationNotEmpty,
    RestoreFailed,
)
from memory_project.backups.loading import load
from memory_project.backups.programs import target
from memory_project.backups.reapply import Reapplied, reapply
from memory_project.backups.stock import Stock, stock_of, take_stock
from memory_project.installation import migrate

# Told what is under way and how much it is; None is not known.
Stage = Callable[[str, int | None], AbstractContextManager[Callable[[int], object]]]


@dataclass(frozen=True, slots=True)
class Restored:
    """`lines` are those of the ledger that was at hand; None where there was none."""

    rows: int
    files: int
    sessions: int
    lines: int | None
    again: Reapplied


def restore(path: Path, *, ledgers: Sequence[Path], is_foreign: bool, stage: Stage) -> Restored:
    """Restore an archive, with `ledgers` of other data folders besides the one that is here.

    Until it has ended the server is not ready; done again, it begins anew. Raises a Fault that
    says why not: InstallationNotEmpty, BackupDamaged, BackupForeign, BackupNewer, LedgerUnreadable,
    RestoreFailed or ErasureUnfinished.
    """
    with (
        stage("looking", path.stat().st_size if path.exists() else None) as tell,
        opened(path, is_foreign=is_foreign, progress=tell) as archive,
    ):
        stock, since = stock_of(archive.manifest), _made_at(archive)
        _check_version(stock)
        _check_empty()
        is_known = bool(ledgers) or ledger.place().exists()
        lines = ledger.adopt(ledgers)
        _load(archive, stage)
        _compare(stock)
        _put_files(archive, stage)
    failpoint("restore.before_reapply")
    _settle()
    with stage("forgetting", len(lines)) as tell:
        again = reapply(lines, since=since, progress=lambda: tell(1))
    sessions = _verify(stage)
    record(actor=ACTOR, action=RESTORED, subject=str(archive.manifest.get("id", "")))
    known = len(lines) if is_known else None
    return Restored(sum(stock.tables.values()), len(archive.files), sessions, known, again)


def _made_at(archive: Archive) -> datetime:
    try:
        return datetime.fromisoformat(str(archive.manifest.get("at")))
    except ValueError as error:
        raise BackupDamaged("the manifest does not say when the backup was made") from error


def _check_version(stock: Stock) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    newer = sorted(set(stock.migrations) - known)
    if newer:
        raise BackupNewer(f"the backup knows {newer[0]}, which this version does not")


def _check_empty() -> None:
    """Raise InstallationNotEmpty, unless what is here is an earlier restore that has not ended."""
    tables = connection.introspection.table_names()
    if AuditEntry._meta.db_table in tables and is_restoring():  # noqa: SLF001 - Django's public name
        return
    if Owner._meta.db_table in tables and Owner.objects.exists():  # noqa: SLF001 - as above
        raise InstallationNotEmpty("somebody is remembered here already")
    if any(names for _, _, names in os.walk(root())):
        raise InstallationNotEmpty(f"there are files in {root()}")


def _load(archive: Archive, stage: Stage) -> None:
    data: Path = settings.DATA_DIR
    dump = data / f".restore.{os.getpid()}.dump"
    # No statement of ours is to wait for what is replaced.
    connection.ensure_connection()
    found = target()
    connection.close()
    try:
        with archive.read(DUMP) as source:
            _write(dump, source)
        with stage("loading", None) as tell:
            load(dump, found, tell)
    finally:
        with contextlib.suppress(FileNotFoundError):
            dump.unlink()


def _compare(stock: Stock) -> None:
    """Raise RestoreFailed unless all is there that was."""
    found = target()
    connection.close()
    with psycopg.connect(found.address, password=found.password) as read:
        now = take_stock(read)
    # The mark of the restore itself.
    tables = {**now.tables, "audit_auditentry": now.tables["audit_auditentry"] - 1}
    differing = sorted(name for name, n in stock.tables.items() if tables.get(name) != n)
    if differing or now.chains != stock.chains:
        named = ", ".join(differing) or "the heads of the chains"
        raise RestoreFailed(f"not what the backup holds: {named}")


def _put_files(archive: Archive, stage: Stage) -> None:
    with stage("files", len(archive.files)) as tell:
        for name in archive.files:
            path = root() / PurePosixPath(name).relative_to(FILES)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.unlink(missing_ok=True)
            with archive.read(name) as source:
                _write(path, source)
            tell(1)


def _write(path: Path, source: IO[bytes]) -> None:
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(number, "wb") as file:
        shutil.copyfileobj(source, file)
        file.flush()
        os.fsync(file.fileno())


def _settle() -> None:
    """Bring the tables to this version, and make the roles and schemas anew, which no dump holds."""
    migrate()
    with connection.cursor() as cursor:
        # Nobody waits for a statement.
        cursor.execute("set statement_timeout = 0")
    ensure_schemas(agents_without_schema())


def _verify(stage: Stage) -> int:
    """Recompute all chains. Raises RestoreFailed."""
    rows = Session.objects.order_by("pk")
    with stage("chains", rows.count()) as tell:
        for session in rows.iterator():
            broken = verify_chain(session)
            if broken:
                raise RestoreFailed(f"the chain of session {session.pk}: {broken[0].why}")
            tell(1)
    return rows.count()

"""Put a dump into the database in one transaction, with the mark that a restore has not ended."""

import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryFile
from typing import IO

from memory_project.backups.errors import RestoreFailed
from memory_project.backups.programs import BackupTarget, first_error, program
from memory_project.process import dies_with_parent

BLOCK = 1 << 20
# What an extension brought stays: to make it anew may take a superuser.
EMPTY = """
begin;
set statement_timeout = 0; set lock_timeout = 0; set client_min_messages = warning;
create extension if not exists vector;
do $$
declare one record;
begin
  for one in select c.oid::regclass as name, case c.relkind when 'v' then 'view'
      when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end as kind
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass
      and d.objid = c.oid and d.deptype = 'e')
    order by c.relkind = 'S'
  loop
    -- With what went before, it may have gone.
    if exists (select from pg_class where oid = one.name) then
      execute format('drop %s if exists %s cascade', one.kind, one.name);
    end if;
  end loop;
  for one in select p.oid::regprocedure as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace and not exists (select from pg_depend d
      where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    if exists (select from pg_proc where oid = one.name) then
      execute format('drop function if exists %s cascade', one.name);
    end if;
  end loop;
end $$;
"""
MARK = """
insert into public.audit_auditentry (actor, action, subject, detail, at)
values ('command', 'restore.loaded', 'backup', '{}', clock_timestamp());
commit;
"""
FLAGS = ("--no-owner", "--no-privileges", "--schema=public", "--file=-")


def load(dump: Path, found: BackupTarget, progress: Callable[[int], object]) -> None:
    """Replace all tables by those of the dump, or change nothing.

    Raises RestoreFailed or ProgramsMissing.
    """
    shell = [program("psql", found.server), "-X", "-q", "-v", "ON_ERROR_STOP=1"]
    restore = [program("pg_restore", found.server), *FLAGS, str(dump)]
    with TemporaryFile() as complaints:
        psql = _started([*shell, f"--dbname={found.address}"], found, PIPE, complaints)
        is_whole = _hand_on(restore, psql, found, complaints, progress)
        # Without the mark there is no commit: what was handed on is rolled back.
        code = psql.wait()
        complaints.seek(0)
        said = complaints.read().decode(errors="replace")
    if code or not is_whole:
        raise RestoreFailed(f"the database did not take the dump: {first_error(said)}")


def _hand_on(
    command: Sequence[str],
    psql: subprocess.Popen[bytes],
    found: BackupTarget,
    complaints: IO[bytes],
    progress: Callable[[int], object],
) -> bool:
    """Give psql the statements that a command prints; False if it did not print them all."""
    assert psql.stdin is not None  # noqa: S101 - a pipe
    try:
        with psql.stdin:
            psql.stdin.write(EMPTY.encode())
            with _started(command, found, DEVNULL, complaints, PIPE) as restore:
                assert restore.stdout is not None  # noqa: S101 - a pipe
                while block := restore.stdout.read(BLOCK):
                    psql.stdin.write(block)
                    progress(len(block))
            if restore.returncode == 0:
                psql.stdin.write(MARK.encode())
            return restore.returncode == 0
    except BrokenPipeError:
        # psql ended, and has said why.
        return False


def _started(
    command: Sequence[str],
    found: BackupTarget,
    source: int,
    complaints: IO[bytes],
    sink: int = DEVNULL,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - PostgreSQL's own
        command,
        stdin=source,
        stdout=sink,
        stderr=complaints,
        env=found.environment,
        preexec_fn=lambda: dies_with_parent(signal.SIGTERM),
    )

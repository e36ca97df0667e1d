"""What is in a database, to be counted when it is saved and again when it is back."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from psycopg import Connection, sql

from memory_project.backups.errors import BackupDamaged

# What an extension brought is not ours to count; of what is partitioned the whole is counted.
TABLES = """
select c.relname from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and not exists (
    select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
order by c.relname
"""
READABLE = "select has_table_privilege(%s, 'select')"
HEADS = "select session_id::text, lane, last_seq, head from public.memory_lanewindow order by 1, 2"
MIGRATIONS = "select app || '.' || name from public.django_migrations order by 1"


@dataclass(frozen=True, slots=True)
class Stock:
    """Rows by table, a digest of the heads of all chains, the migrations, and what may not be read."""

    tables: Mapping[str, int]
    chains: str
    migrations: list[str]
    unread: list[str]


def stock_of(manifest: Mapping[str, object]) -> Stock:
    """Return what a manifest says was there. Raises BackupDamaged."""
    tables, chains = manifest.get("tables"), manifest.get("chains")
    names, unread = manifest.get("migrations"), manifest.get("unread")
    if not (isinstance(tables, dict) and isinstance(names, list) and isinstance(unread, list)):
        raise BackupDamaged("the manifest does not say what is in the archive")
    counts = {str(name): int(count) for name, count in tables.items()}
    return Stock(counts, str(chains), list(map(str, names)), list(map(str, unread)))


def take_stock(found: Connection) -> Stock:
    """Count, in the connection's transaction."""
    names = [str(row[0]) for row in found.execute(TABLES)]
    unread = [name for name in names if not _value(found, READABLE, f'public."{name}"')]
    count = sql.SQL("select count(*) from public.{}")
    tables = {
        name: int(str(_first(found.execute(count.format(sql.Identifier(name))).fetchone())))
        for name in names
        if name not in unread
    }
    migrations = [str(row[0]) for row in found.execute(MIGRATIONS)]
    return Stock(tables, _chains(found), migrations, unread)


def _chains(found: Connection) -> str:
    digest = hashlib.sha256()
    with found.cursor(name="heads") as cursor:
        for session, lane, seq, head in cursor.execute(HEADS):
            digest.update(f"{session} {lane} {seq} {bytes(head).hex()}\n".encode())
    return digest.hexdigest()


def _value(found: Connection, text: str, value: str) -> object:
    return _first(found.execute(text.encode(), (value,)).fetchone())


def _first(row: tuple[object, ...] | None) -> object:
    return row[0] if row else None

"""The driver below Django's connection, for the statements that every request sends.

Its own cursors prepare statements and send binary; Django's do neither, and putting a query
together takes Django longer than PostgreSQL needs to answer it.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connection
from django.db.models import Field, Model
from psycopg import Connection, Cursor

Row = tuple
Some = TypeVar("Some", bound=Model)


def raw() -> Connection:
    """Return the driver's connection; one that died between two requests is replaced first."""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    found: Connection = connection.connection
    return found


def run(text: str, values: Sequence[object] | Mapping[str, object]) -> list[Row]:
    """Send a prepared statement and return its rows. Failures are Django's, as everywhere else."""
    with connection.wrap_database_errors, Cursor(raw()) as cursor:
        cursor.execute(text, values, prepare=True, binary=True)
        return [] if cursor.rownumber is None else cursor.fetchall()


def look_up(text: str, values: Sequence[object] | Mapping[str, object]) -> list[Row]:
    """Send a prepared statement that only reads, and return its rows.

    As the first of a request it is the check of a connection that was kept: where that one proves
    dead it is replaced, and the statement sent again.
    """
    if not _is_unchecked():
        return run(text, values)
    connection.health_check_done = True  # type: ignore[attr-defined]  # unknown to the stubs
    try:
        return run(text, values)
    except (OperationalError, InterfaceError):
        if connection.is_usable():
            raise
        connection.close()
        return run(text, values)


def _is_unchecked() -> bool:
    """Return whether Django would send a statement of its own to try the connection."""
    if connection.connection is None or connection.in_atomic_block:
        return False
    return connection.health_check_enabled and not connection.health_check_done  # type: ignore[attr-defined]  # unknown to the stubs


def columns(model: type[Model], table: str) -> str:
    """Return the columns that `instance` reads, in its order."""
    return ", ".join(f"{table}.{field.column}" for field in _fields(model))


def instance(model: type[Some], values: Row) -> Some:
    """Return a stored row as its model."""
    return model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in _fields(model)], values)


def width(model: type[Model]) -> int:
    return len(_fields(model))


def _fields(model: type[Model]) -> Sequence[Field]:
    found: Sequence[Field] = model._meta.concrete_fields  # noqa: SLF001 - documented by Django
    return found

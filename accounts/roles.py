"""The database roles besides the application's own: for views, across agents, and for what is sealed.

Roles belong to the whole server, so their names end with a mark of the database. The policies of
row security compare `current_user` with names made the same way.
"""

from enum import Enum
from typing import LiteralString

from django.db import connection, transaction
from psycopg import sql

# One at a time: two that grant on the same table at once fail.
LOCK = "select pg_advisory_xact_lock(hashtextextended('recollect roles', 0))"
MARKED = "select %s || '_' || left(md5(current_database()), 6)"
MISSING = """
select 'CREATEROLE' from pg_roles where rolname = current_user and not (rolsuper or rolcreaterole)
union all
select 'CREATE on the database' where not has_database_privilege(current_database(), 'create')
union all
select 'ownership of the tables' from pg_class
where oid = to_regclass('memory_chunk') and not pg_has_role(current_user, relowner, 'usage')
union all
select 'membership in ' || rolname from pg_roles, unnest(array['recollect_', 'choir_']) stem
where right(rolname, 7) = '_' || left(md5(current_database()), 6)
  and starts_with(rolname, stem) and not pg_has_role(current_user, oid, 'member')
"""
# Roles outlive a database that is made anew under its old name; what they were given there does not.
READY = """
select rolname from pg_roles, unnest(string_to_array(%s, ' ')) name
where rolname = %s || '_' || left(md5(current_database()), 6) group by rolname
having bool_and(pg_has_role(current_user, oid, 'member') and has_table_privilege(oid, name, 'select'))
"""
END = "select pg_terminate_backend(pid, 2000) from pg_stat_activity where usename = %s"
# What row security looks up, and whose rows they are.
LOOKED_UP = "grant select (id, agent_id) on accounts_owner to {role}; grant select (id, schema_name) on accounts_agent to {role}"
SHOWN = (
    "memory_chunk",
    "memory_embedding",
    "memory_embeddingspace",
    "knowledge_knowledgedocument",
    "knowledge_knowledgeembedding",
)
# What a search and the detail of an ended session read.
SEARCHED = (
    *SHOWN,
    "knowledge_knowledgeindex",
    "memory_event",
    "memory_ownerindex",
    "memory_posting",
    "memory_session",
    "memory_term",
)
# What no prompt may hold: the auditor's alone, the owner of the tables has no right on them either.
SEALED = ("crisis_crisisrecord", "crisis_crisisday", "feedback_feedbackrecord")
SEAL: LiteralString = """
grant select, insert, update, delete on {table} to {role};
revoke select, insert, update, delete on {table} from current_user
"""
# A member that inherits would have the right without asking for it; before 16 there is no other.
SINCE_INHERIT = 160_000


class Role(Enum):
    """Those that a database has once."""

    VIEWS = "recollect_views"
    READER = "recollect_reader"
    AUDIT = "recollect_audit"


TABLES = {Role.VIEWS: SHOWN, Role.READER: SEARCHED, Role.AUDIT: SEALED}


def role_name(stem: str) -> str:
    """Return what a role of this database is called."""
    return str(_value(MARKED, stem))


def missing_right() -> str:
    """Name the right that is missing to make roles and schemas; empty when none is."""
    return str(_value(MISSING) or "")


def ready_role(role: Role) -> str | None:
    """Return what the role is called, if it has what it reads and the application may act as it."""
    found = _value(READY, " ".join(TABLES[role]), role.value)
    return str(found) if found else None


def make_role(name: str) -> None:
    """Make a role that cannot log in, with the application as its member, unless it is there."""
    if not _value("select true from pg_roles where rolname = %s", name):
        execute("create role {role} nologin", role=name)
        execute("grant {role} to current_user", role=name)


@transaction.atomic
def prepare_roles() -> None:
    """Make the roles, and give them what they read."""
    lock_roles()
    schema = str(_value("select current_schema()"))
    for role, tables in TABLES.items():
        name = role_name(role.value)
        make_role(name)
        execute("grant usage on schema {schema} to {role}", schema=schema, role=name)
        if role is Role.AUDIT:
            _seal(name)
            continue
        execute(LOOKED_UP, role=name)
        for table in tables:
            execute("grant select on {table} to {role}", table=table, role=name)


def _seal(role: str) -> None:
    """Give the auditor the sealed tables, and take them from everyone else, ourselves included."""
    connection.ensure_connection()
    if connection.connection.info.server_version >= SINCE_INHERIT:
        execute("grant {role} to current_user with inherit false", role=role)
    for table in SEALED:
        execute(SEAL, table=table, role=role)


def drop_role(name: str) -> None:
    """End what the role has open and drop it, with what it made meanwhile; nothing if it is gone."""
    if _value("select true from pg_roles where rolname = %s", name):
        end_connections(name)
        execute("drop owned by {role}; drop role {role}", role=name)


def end_connections(role: str) -> None:
    """End what a role has open, and wait for it for two seconds at most."""
    with connection.cursor() as cursor:
        cursor.execute(END, (role,))


def lock_roles() -> None:
    """Wait for whoever else makes or drops roles, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK)


def execute(text: LiteralString, **names: str) -> None:
    """Run statements in which `{name}` stands for an identifier; the only way one gets into them."""
    quoted = {name: sql.Identifier(value) for name, value in names.items()}
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(text).format(**quoted))


def _value(text: str, *values: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        row = cursor.fetchone()
    return row[0] if row else None

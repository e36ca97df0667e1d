"""An agent's PostgreSQL schema: views of exactly its own rows, for a role that reads nothing else.

The tables are shared. The views belong to a role that may only read, and are security barriers, so
that no function of the reader's sees a row before it is known to be theirs; row security on the
tables asks once more who reads.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import LiteralString

from django.db import connection, transaction
from psycopg import sql

from accounts.models import SLUG, Agent
from accounts.roles import (
    Role,
    drop_role,
    execute,
    lock_roles,
    make_role,
    missing_right,
    prepare_roles,
    ready_role,
    role_name,
)

log = logging.getLogger(__name__)

PREFIX = "choir_"
MINE: LiteralString = "any(array(select id from accounts_owner where agent_id = {agent}))"
EMBEDDINGS: LiteralString = (
    """
select document.id document_id, space.model, space.dimension dim, found.embedding vector
from {table} found
join {documents} document on document.owner_id = found.owner_id and document.number = found.document
join memory_embeddingspace space on space.id = found.space_id
where found.owner_id = """
    + MINE
)
VIEWS: dict[str, LiteralString] = {
    "memory_documents": """
select id, owner_id, session_id, lane, tier, number chunk_index, kind chunk_kind, first_seq,
       last_seq, text as content, tsv, embedding_state embedding_status, created_at
from memory_chunk where muted_by is null and owner_id = """
    + MINE,
    "memory_embeddings": EMBEDDINGS + " and document.muted_by is null",
    "knowledge_documents": """
select id, owner_id, key, content, metadata, tsv, created_at, updated_at
from knowledge_knowledgedocument where owner_id = """
    + MINE,
    "knowledge_embeddings": EMBEDDINGS,
}
SOURCES = {
    "memory_embeddings": ("memory_embedding", "memory_chunk"),
    "knowledge_embeddings": ("knowledge_knowledgeembedding", "knowledge_knowledgedocument"),
}
MAKE: LiteralString = """
create schema if not exists {schema};
grant usage on schema {schema} to {role};
grant usage, create on schema {schema} to {views};
alter role {role} connection limit 5;
alter role {role} set search_path = {schema};
alter role {role} set default_transaction_read_only = on;
alter role {role} set statement_timeout = '5s';
"""
SHOW: LiteralString = """
drop view if exists {schema}.{view};
create view {schema}.{view} with (security_barrier) as {select};
grant select on {schema}.{view} to {role};
alter view {schema}.{view} owner to {views};
"""
# A role that an earlier agent left must not open the door to this one.
CLOSE: LiteralString = "alter role {role} nologin password null"
WITHOUT = """
select agent.id from accounts_agent agent
where schema_name is null or to_regnamespace(schema_name) is null or not exists (
  select from pg_roles where rolname = schema_name || '_' || left(md5(current_database()), 6))
or not exists (
  -- An earlier version's view shows what is muted.
  select from pg_views where schemaname = schema_name and viewname = 'memory_documents'
    and strpos(definition, 'muted_by') > 0)
"""
LEFT_OVER = """
select rolname from pg_roles
where starts_with(rolname, %s) and right(rolname, 7) = '_' || left(md5(current_database()), 6)
  and left(rolname, -7) not in (select schema_name from accounts_agent where schema_name is not null)
"""


@dataclass(frozen=True, slots=True)
class Ensured:
    """How many schemas were made and dropped; `missing` names the right for lack of which none was."""

    made: int = 0
    dropped: int = 0
    missing: str = ""


@transaction.atomic
def create_agent_schema(*, agent: Agent) -> bool:
    """Make the agent's schema, role and views, or make them anew; False if a right is missing."""
    missing = missing_right()
    if missing:
        log.warning("agent %s gets no schema: the database role lacks %s", agent.slug, missing)
        return False
    SLUG(agent.slug)
    lock_roles()
    if not all(ready_role(role) for role in Role):
        prepare_roles()
    is_new = agent.schema_name is None
    schema = agent.schema_name or _free_name(agent)
    role = role_name(schema)
    make_role(role)
    if is_new:
        execute(CLOSE, role=role)
        agent.schema_name = schema
        agent.save(update_fields=["schema_name"])
    views = role_name(Role.VIEWS.value)
    execute(MAKE, schema=schema, role=role, views=views)
    for view in VIEWS:
        _show(agent, view, schema=schema, role=role, views=views)
    return True


@transaction.atomic
def drop_agent_schema(*, agent: Agent) -> None:
    """Drop the agent's schema and role, if it has them."""
    if agent.schema_name is None or missing_right():
        return
    lock_roles()
    _drop(agent.schema_name)
    agent.schema_name = None
    agent.save(update_fields=["schema_name"])


def agents_without_schema() -> list[Agent]:
    """Return the agents that have none yet, or an earlier one, or whose role is not on this server."""
    return list(Agent.objects.filter(pk__in=_column(WITHOUT)).order_by("created_at"))


def ensure_schemas(agents: Iterable[Agent]) -> Ensured:
    """Make the schemas of these agents, and drop those whose agents are gone."""
    missing = missing_right()
    if missing:
        return Ensured(missing=missing)
    prepare_roles()
    made = sum(create_agent_schema(agent=agent) for agent in agents)
    left_over = [str(role)[:-7] for role in _column(LEFT_OVER, PREFIX)]
    for schema in left_over:
        with transaction.atomic():
            lock_roles()
            _drop(schema)
    return Ensured(made, len(left_over))


def _free_name(agent: Agent) -> str:
    """Return `choir_` and the slug; where another organization has that, with the id's end."""
    wanted = PREFIX + agent.slug
    is_taken = Agent.objects.filter(schema_name=wanted).exists()
    return f"{wanted}_{agent.pk.hex[-8:]}" if is_taken else wanted


def _show(agent: Agent, view: str, *, schema: str, role: str, views: str) -> None:
    table, documents = SOURCES.get(view, ("", ""))
    select = sql.SQL(VIEWS[view]).format(
        agent=sql.Literal(agent.pk),
        table=sql.Identifier(table),
        documents=sql.Identifier(documents),
    )
    names = {"schema": schema, "view": view, "role": role, "views": views}
    quoted = {name: sql.Identifier(value) for name, value in names.items()}
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(SHOW).format(select=select, **quoted))


def _drop(schema: str) -> None:
    execute("drop schema if exists {schema} cascade", schema=schema)
    drop_role(role_name(schema))


def _column(text: str, *values: str) -> list[object]:
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return [row[0] for row in cursor.fetchall()]

"""What an agent that logs in to the database with its own role tries, and may not."""

import psycopg
import pytest
from django.core.management import call_command
from psycopg import errors, sql

from accounts.models import Agent
from accounts.roles import Role, role_name
from accounts.schemas import create_agent_schema, drop_agent_schema
from tests.accounts.acting import logged_in
from tests.factories import make_agent, make_ended_session, make_session

pytestmark = pytest.mark.usefixtures("roles")

SECRET = "the safe opens with marzipan"
LEAK = """
create function pg_temp.leak(text) returns boolean cost 0.0001 language plpgsql as
$$ begin raise notice '%', $1; return true; end $$
"""
DENIED = (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)
PROBES = [
    # another agent's schema
    "select * from choir_porter.memory_documents",
    "select * from choir_porter.memory_embeddings",
    "select * from choir_porter.knowledge_documents",
    "select content from memory_documents union all select content from choir_porter.memory_documents",
    "select (select max(content) from choir_porter.memory_documents)",
    "with found as (table choir_porter.memory_documents) select * from found",
    "copy choir_porter.memory_documents to stdout",
    "create view pg_temp.peek as select * from choir_porter.memory_documents; table pg_temp.peek",
    "prepare peek as select * from choir_porter.memory_documents",
    "declare peek cursor with hold for select * from choir_porter.memory_documents",
    # the tables below
    "select * from public.memory_chunk",
    "select * from public.memory_event",
    "select tsv from public.memory_chunk",
    "select term from public.memory_posting",
    "select * from public.knowledge_knowledgedocument",
    "select digest from public.accounts_apikey",
    "select password from public.accounts_user",
    "select id from public.accounts_owner",
    "select query from public.recall_receipt",
    "select * from public.audit_auditentry",
    "copy public.memory_chunk to stdout",
    "do $$ begin lock table public.memory_chunk in access share mode; end $$",
    # being somebody else
    "set role postgres",
    "set role {reader}",
    "set role {views}",
    "set role {porter}",
    "set session authorization {porter}",
    "select set_config('role', {reader_text}, false)",
    "grant {porter} to current_user",
    "alter role {porter} login password 'mine'",
    "alter role current_user superuser",
    "create role friend",
    "drop role {porter}",
    # writing
    "insert into memory_documents (content) values ('x')",
    "insert into knowledge_documents (content) values ('x')",
    "update knowledge_documents set content = 'x'",
    "delete from memory_documents",
    "insert into public.memory_posting values (1, 0, 1, 1, 1, 1)",
    "update public.accounts_agent set schema_name = null",
    "delete from public.memory_event",
    "truncate public.memory_event",
    "create table {mine}.notes (id int)",
    "create table public.notes (id int)",
    "create schema mine",
    "create or replace view {mine}.memory_documents as select * from choir_porter.memory_documents",
    "alter view {mine}.memory_documents set (security_barrier = false)",
    "create policy mine on public.memory_chunk using (true)",
    "alter table public.memory_chunk disable row level security",
    "create trigger mine before insert on public.memory_chunk execute function now()",
    # functions that reach outside
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('.')",
    "select lo_import('/etc/passwd')",
    "copy memory_documents to program 'cat'",
    "select pg_reload_conf()",
    "select pg_promote()",
    "alter system set log_statement = 'all'",
    "drop extension vector",
]


@pytest.fixture
def rooms(transactional_db):
    """Give porter a secret and ledger a word of its own; drop their roles after."""
    agents = make_agent("porter"), make_agent("ledger")
    for agent, text in zip(agents, (SECRET, "the ledger is balanced"), strict=True):
        make_ended_session(agent, [text])
        create_agent_schema(agent=agent)
    yield agents
    for agent in agents:
        drop_agent_schema(agent=agent)


@pytest.fixture
def ledger(rooms, capsys):
    """Return the connection of ledger's own login, on which it may write what it may."""
    call_command("agent_login", "ledger", organization="home")
    words = capsys.readouterr().out.split()
    with logged_in(words[1], words[3]) as found:
        found.execute("set default_transaction_read_only = off")
        yield found


def names() -> dict[str, sql.Composable]:
    roles = {
        "reader": role_name(Role.READER.value),
        "views": role_name(Role.VIEWS.value),
        "porter": role_name("choir_porter"),
        "mine": "choir_ledger",
    }
    quoted = {name: sql.Identifier(value) for name, value in roles.items()}
    return {**quoted, "reader_text": sql.Literal(roles["reader"])}


@pytest.mark.requirement("CH-13")
def test_its_own_rows_and_nothing_else_are_read_by_a_login(ledger):
    assert ledger.execute("select content from memory_documents").fetchall() == [
        ("the ledger is balanced",)
    ]
    allowed = []
    for probe in PROBES:
        try:
            ledger.execute(sql.SQL(probe).format(**names()))
        except DENIED:
            continue
        except psycopg.Error as other:
            allowed.append((probe, str(other)))
        else:
            allowed.append((probe, "done"))
    assert allowed == []


def test_a_cheap_function_of_its_own_sees_no_foreign_row(ledger):
    heard: list[str] = []
    ledger.add_notice_handler(lambda notice: heard.append(notice.message_primary or ""))
    ledger.execute(LEAK)

    ledger.execute("select * from memory_documents where pg_temp.leak(content)")

    assert heard == ["the ledger is balanced"]


def test_naming_an_owner_opens_nothing_to_it(ledger):
    ledger.execute(
        "select set_config('recollect.owner', id::text, false) from generate_series(1, 9) id"
    )
    ledger.execute("set row_security = off")

    with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
        ledger.execute("select content from memory_documents")

    ledger.execute("set row_security = on")
    found = ledger.execute("select content from memory_documents").fetchall()
    assert SECRET not in str(found)


def test_what_it_may_read_it_cannot_pass_on(ledger):
    ledger.execute("grant select on memory_documents to public")

    asked = "select has_table_privilege(%s, 'choir_ledger.memory_documents', 'select')"
    assert ledger.execute(asked, (role_name("choir_porter"),)).fetchone() == (False,)


def test_the_catalogues_tell_nothing_of_what_was_said(ledger):
    for place in ("pg_stats", "pg_stat_activity", "pg_views", "pg_stats_ext"):
        found = ledger.execute(sql.SQL("select * from {}").format(sql.Identifier(place)))
        assert "marzipan" not in str(found.fetchall())
    for place in ("pg_statistic", "pg_authid", "pg_file_settings"):
        with pytest.raises(errors.InsufficientPrivilege):
            ledger.execute(sql.SQL("select * from {}").format(sql.Identifier(place)))


def test_an_open_session_s_words_are_in_no_view(rooms, ledger):
    make_session(Agent.objects.get(slug="ledger"), user="bob")

    assert len(ledger.execute("select from memory_documents").fetchall()) == 1

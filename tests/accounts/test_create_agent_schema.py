import logging

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from accounts.agents import create_agent
from accounts.errors import AgentExists
from accounts.models import Agent
from accounts.owners import resolve_owner
from accounts.roles import execute, missing_right, role_name
from accounts.schemas import create_agent_schema
from knowledge.models import KnowledgeDocument
from tests.accounts.acting import acting_as, ask, seen_by
from tests.factories import make_agent, make_ended_session

pytestmark = pytest.mark.usefixtures("roles")

VIEWS = ["knowledge_documents", "knowledge_embeddings", "memory_documents", "memory_embeddings"]
COUNTS = "select count(*) from {}."


@pytest.fixture
def ledger(porter) -> Agent:
    """Return another agent of porter's organization; both have their schemas."""
    create_agent_schema(agent=porter)
    made = make_agent("ledger")
    create_agent_schema(agent=made)
    return made


def counts(agent: Agent) -> list[int]:
    return [seen_by(agent, COUNTS + view)[0][0] for view in VIEWS]


def note(agent: Agent, content: str) -> None:
    owner = resolve_owner(agent=agent, user="alice")
    KnowledgeDocument.objects.create(
        owner=owner, number=1, content=content, language="english", tokens=3
    )


@pytest.mark.requirement("CH-87")
def test_an_agent_is_made_with_its_schema(porter):
    made = create_agent(
        organization=porter.organization, slug="baker", actor="test", fields={"name": "Baker"}
    )

    assert made.schema_name == "choir_baker"
    found = ask("select viewname from pg_views where schemaname = 'choir_baker' order by 1")
    assert [name for (name,) in found] == VIEWS


@pytest.mark.requirement("CH-90")
def test_the_role_sees_exactly_its_agent_s_rows(porter, ledger):
    make_ended_session(porter, ["the gate was left open", "the dog ran out"])
    note(porter, "the gate has two keys")

    found = seen_by(porter, "select tier, content from {}.memory_documents order by chunk_index")
    words = "select content from {}.memory_documents where tsv @@ to_tsquery('simple', 'gate')"

    assert [tier for tier, _ in found] == ["mid_term", "mid_term"]
    assert "the gate was left open" in found[0][1]
    assert len(seen_by(porter, words)) == 1
    assert counts(porter) == [1, 0, 2, 2]
    assert counts(ledger) == [0, 0, 0, 0]


@pytest.mark.requirement("CH-88")
def test_the_words_of_the_documents_are_in_a_gin_index(porter, ledger):
    make_ended_session(porter, ["the gate was left open"])

    found = seen_by(porter, "select tsv @@ 'gate'::tsquery from {}.memory_documents")
    ((index,),) = ask("select indexdef from pg_indexes where indexname = 'chunk_tsv'")

    assert found == [(True,)]
    assert "USING gin (tsv)" in index


def test_an_embedding_names_its_document_and_its_model(porter, ledger):
    make_ended_session(porter, ["the gate was left open"])

    ((model, dimension, content),) = seen_by(
        porter,
        "select model, dim, content from {0}.memory_embeddings"
        " join {0}.memory_documents on id = document_id",
    )

    assert (model, dimension) == ("hashing", 384)
    assert "gate" in content


def test_made_again_it_is_the_same(porter, ledger):
    make_ended_session(porter, ["the gate was left open"])

    create_agent_schema(agent=porter)

    assert porter.schema_name == "choir_porter"
    assert counts(porter) == [0, 0, 1, 1]


def test_another_organization_s_agent_of_the_same_slug_gets_another_schema(ledger, rival):
    twin = make_agent("ledger", organization=rival.organization)

    create_agent_schema(agent=twin)

    assert twin.schema_name == f"choir_ledger_{twin.pk.hex[-8:]}"
    assert len(role_name(f"choir_{'x' * 41}_12345678")) == 63


def test_a_login_that_an_earlier_agent_left_is_closed(porter):
    role = role_name("choir_porter")
    execute("create role {role} login password 'known'", role=role)

    create_agent_schema(agent=porter)

    assert ask(f"select rolcanlogin from pg_roles where rolname = '{role}'") == [(False,)]


def test_a_slug_that_is_none_is_refused(porter):
    porter.slug = 'x"; drop schema public'

    with pytest.raises(ValidationError):
        create_agent_schema(agent=porter)


def test_an_agent_that_exists_leaves_no_second_schema(porter):
    with pytest.raises(AgentExists):
        create_agent(organization=porter.organization, slug="porter", actor="test", fields={})

    assert ask("select from pg_namespace where nspname like 'choir%'") == []


@pytest.fixture
def plain(porter, superuser) -> str:
    """Return a role that owns the tables and may make neither roles nor schemas."""
    name = role_name("plain")
    execute("create role {role} nologin", role=name)
    execute("set constraints all immediate")
    for (table,) in ask("select tablename from pg_tables where schemaname = current_schema()"):
        execute("alter table {table} owner to {role}", table=table, role=name)
    return name


def test_without_the_right_to_make_roles_the_agent_is_made_all_the_same(porter, plain, caplog):
    with acting_as(plain), caplog.at_level(logging.WARNING):
        made = create_agent(organization=porter.organization, slug="baker", actor="test", fields={})
        make_ended_session(made, ["the gate was left open"])

    assert made.schema_name is None
    assert "CREATEROLE" in caplog.text


def test_a_role_that_may_not_make_schemas_makes_none(porter, plain):
    execute("alter role {role} createrole", role=plain)
    with acting_as(plain):
        assert create_agent_schema(agent=porter) is False


def test_roles_that_somebody_else_made_are_left_alone(porter, plain):
    execute("create role {role}", role=role_name("choir_porter"))
    execute("alter role {role} createrole", role=plain)
    database = connection.settings_dict["NAME"]
    execute("grant create on database {database} to {role}", database=database, role=plain)

    with acting_as(plain):
        assert missing_right().startswith("membership in ")
        assert create_agent_schema(agent=porter) is False


def test_row_security_hides_from_a_view_what_is_not_its_reader_s(porter, ledger):
    make_ended_session(porter, ["the gate was left open"])
    execute("grant usage on schema choir_porter to {role}", role=role_name("choir_ledger"))
    execute(
        "grant select on choir_porter.memory_documents to {role}", role=role_name("choir_ledger")
    )

    assert seen_by(ledger, "select content from choir_porter.memory_documents") == []


def test_a_role_with_a_grant_and_no_policy_sees_nothing(porter, ledger):
    make_ended_session(porter, ["the gate was left open"])
    role = role_name(ledger.schema_name)
    execute("grant select on memory_posting, memory_sessionstep to {role}", role=role)

    with acting_as(role):
        assert ask("select from memory_posting") == []
        assert ask("select from memory_sessionstep") == []

import time

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Agent
from accounts.roles import execute, role_name
from accounts.schemas import (
    Ensured,
    agents_without_schema,
    create_agent_schema,
    drop_agent_schema,
    ensure_schemas,
)
from tests.accounts.acting import acting_as, ask
from tests.factories import make_agent

pytestmark = pytest.mark.usefixtures("roles")


def test_it_makes_what_is_missing(porter, rival):
    create_agent_schema(agent=rival)

    assert agents_without_schema() == [porter]
    assert ensure_schemas(agents_without_schema()) == Ensured(made=1)
    assert agents_without_schema() == []


def test_an_agent_whose_role_is_not_on_this_server_gets_it_again(porter):
    porter.schema_name = "choir_porter"
    porter.save()

    ensure_schemas(agents_without_schema())

    assert agents_without_schema() == []


def test_it_drops_what_a_deleted_agent_left(porter):
    create_agent_schema(agent=porter)
    porter.delete()

    assert ensure_schemas([]) == Ensured(dropped=1)
    assert ask("select from pg_namespace where nspname like 'choir%'") == []


@pytest.mark.usefixtures("superuser")
def test_without_the_right_it_names_it(porter):
    execute("create role {role}", role=role_name("plain"))

    with acting_as(role_name("plain")):
        assert ensure_schemas([porter]) == Ensured(missing="CREATEROLE")
        with pytest.raises(CommandError, match="CREATEROLE"):
            call_command("agent_schemas")


def test_the_command_counts(porter, capsys):
    call_command("agent_schemas")

    assert "1 made, 0 dropped" in capsys.readouterr().out


@pytest.mark.full
def test_a_thousand_agents_have_their_schemas_and_the_last_takes_no_longer(transactional_db):
    porter = make_agent("porter")
    agents = Agent.objects.bulk_create(
        Agent(organization=porter.organization, slug=f"agent{number}") for number in range(1_000)
    )
    took = []
    for agent in agents:
        begun = time.perf_counter()
        create_agent_schema(agent=agent)
        took.append(time.perf_counter() - begun)

    assert sum(took[-100:]) < 5 * sum(took[:100])
    assert len(ask("select from pg_views where schemaname like 'choir\\_agent%'")) == 4_000
    for agent in agents:
        drop_agent_schema(agent=agent)

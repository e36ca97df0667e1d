"""What a database gets before anyone can call."""

from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from accounts.keys import find_key, revoke_key
from accounts.models import Agent, ApiKey
from memory_project import facts
from memory_project.installation import DatabaseUnfit, prepare

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_the_first_agent_key_is_valid():
    found = prepare()

    key = find_key(found.agent_key)
    assert key is not None
    assert key.agent is not None
    assert key.agent.slug == found.agent


def test_a_second_start_gives_the_same_facts(data: Path):
    first = prepare()
    facts.write(data, first)

    second = prepare()

    assert second == first
    assert ApiKey.objects.count() == 1


def test_lost_facts_are_made_up_for_with_a_new_key():
    prepare()

    found = prepare()

    assert find_key(found.agent_key) is not None
    assert found.operator_password is None


def test_a_remembered_key_that_was_revoked_is_replaced(data: Path):
    first = prepare()
    facts.write(data, first)
    revoke_key(key=ApiKey.objects.get(), actor="test")

    second = prepare()

    assert find_key(second.agent_key) is not None


@pytest.mark.requirement("CH-93")
def test_without_pgvector_it_says_what_to_install():
    with connection.cursor() as cursor:
        cursor.execute("create schema hidden")
        cursor.execute(
            "create view hidden.pg_available_extensions as "
            "select * from pg_catalog.pg_available_extensions where name <> 'vector'"
        )
        cursor.execute("set local search_path to hidden, pg_catalog, public")

    with pytest.raises(DatabaseUnfit, match="pgvector: not installed on the server"):
        prepare()


@pytest.mark.requirement("CH-93")
def test_agents_that_have_none_get_their_schema(roles: None):
    prepare()

    slug = Agent.objects.get().slug
    with connection.cursor() as cursor:
        cursor.execute("select 1 from pg_namespace where nspname = %s", (f"choir_{slug}",))
        assert cursor.fetchone() == (1,)

"""What a database gets before anyone can call."""

from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.keys import find_key, revoke_key
from accounts.models import ApiKey
from memory_project import facts
from memory_project.installation import prepare

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

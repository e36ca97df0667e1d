from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from accounts.roles import execute, role_name
from accounts.schemas import create_agent_schema
from consolidation.jobs.heartbeat import beat
from memory.models import EmbeddingSpace
from providers.registry import chat_model, embedder
from tests.accounts.acting import acting_as

# Nobody listens on port 1.
CLOSED = "http://127.0.0.1:1/v1"


@pytest.fixture
def healthy(db, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    beat()


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    chat_model.cache_clear()
    yield
    chat_model.cache_clear()


def findings() -> str:
    """Return what doctor prints, whether it is content or not."""
    out = StringIO()
    try:
        call_command("doctor", stdout=out)
    except CommandError as complaint:
        out.write(str(complaint))
    return out.getvalue()


@pytest.mark.usefixtures("healthy")
def test_it_is_content_with_a_healthy_installation():
    found = findings()

    assert "WRONG" not in found


@pytest.mark.django_db
def test_it_ends_in_failure_when_something_is_wrong():
    with pytest.raises(CommandError, match="checks failed"):
        call_command("doctor", stdout=StringIO())


@pytest.mark.django_db
def test_it_says_how_to_start_missing_workers():
    found = findings()

    assert "WRONG workers" in found
    assert "make up" in found


@pytest.mark.usefixtures("healthy")
def test_it_misses_the_key_of_a_model_that_needs_one(settings: Settings):
    settings.EMBEDDER, settings.OPENAI_API_KEY = "openai", ""
    settings.OPENAI_BASE_URL = CLOSED

    found = findings()

    assert "WRONG model key" in found
    assert "OPENAI_API_KEY" in found


@pytest.mark.usefixtures("healthy")
def test_it_finds_that_the_endpoint_cannot_be_reached(settings: Settings):
    settings.EMBEDDER, settings.OPENAI_API_KEY = "openai", "sk-a-secret"
    settings.OPENAI_BASE_URL = CLOSED

    found = findings()

    assert f"WRONG endpoint: {CLOSED}" in found
    assert "correct OPENAI_BASE_URL" in found


@pytest.mark.usefixtures("healthy")
def test_it_asks_for_no_endpoint_where_none_is_in_use(settings: Settings):
    settings.EMBEDDER, settings.CHAT = "hashing", "offline"

    assert "ok    endpoint: none in use" in findings()


@pytest.mark.usefixtures("healthy")
def test_it_names_the_rules_that_stand_in_for_a_chat_model(settings: Settings):
    settings.CHAT = "offline"

    assert "ok    chat model: offline, no key needed" in findings()


@pytest.mark.usefixtures("healthy")
def test_it_names_the_chat_model_of_an_endpoint_and_not_its_key(settings: Settings):
    settings.CHAT, settings.OPENAI_API_KEY = "openai", "sk-a-secret"
    settings.OPENAI_BASE_URL = CLOSED

    found = findings()

    assert "ok    chat model: gpt-4.1-mini, key set" in found
    assert "sk-a-secret" not in found


@pytest.mark.usefixtures("healthy")
def test_it_misses_the_endpoint_of_a_chat_model(settings: Settings):
    settings.CHAT, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "openai", "", ""

    found = findings()

    assert "WRONG chat model" in found
    assert "RECOLLECT_CHAT=auto" in found


@pytest.mark.django_db
def test_it_answers_before_the_tables_are_there():
    with connection.cursor() as cursor:
        cursor.execute("drop table consolidation_workerheartbeat")

    found = findings()

    assert "WRONG workers" in found
    assert "migrate" in found


@pytest.mark.usefixtures("healthy", "roles")
def test_it_misses_the_schema_of_an_agent(porter):
    without = findings()
    create_agent_schema(agent=porter)

    assert "WRONG agent schemas: missing for 1 agents" in without
    assert "agent_schemas" in without
    assert "ok    agent schemas" in findings()


@pytest.mark.usefixtures("healthy", "superuser")
def test_it_says_which_right_the_schemas_need_and_that_all_else_works():
    name = role_name("plain")
    execute("create role {role}", role=name)
    execute("grant {owner} to {role}", owner=owner_of_tables(), role=name)

    with acting_as(name):
        found = findings()

    assert "ok    agent schemas" in found
    assert "CREATEROLE" in found


@pytest.mark.usefixtures("healthy", "superuser")
def test_it_finds_that_memory_is_hidden():
    name = role_name("stranger")
    execute("create role {role}", role=name)
    execute("grant pg_read_all_data to {role}", role=name)

    with acting_as(name):
        found = findings()

    assert "WRONG agent schemas: memory is hidden" in found


def owner_of_tables() -> str:
    with connection.cursor() as cursor:
        cursor.execute("select tableowner from pg_tables where tablename = 'memory_event'")
        found: tuple[str] = cursor.fetchone()
    return found[0]


def make_current(model: str, dimension: int) -> None:
    EmbeddingSpace.objects.create(model=model, version="1", dimension=dimension, state="current")


@pytest.mark.usefixtures("healthy")
def test_it_says_how_to_go_over_to_the_model_of_the_settings():
    make_current("hashing", 64)

    found = findings()

    assert "WRONG embedder: RECOLLECT_EMBEDDER=hashing (hashing, 384 dimensions) chooses" in found
    assert "the vectors in use are of hashing (64), and that model is asked" in found
    assert "reembed --model hashing" in found


@pytest.mark.usefixtures("healthy")
def test_it_says_that_vectors_are_switched_off_and_kept(settings: Settings):
    settings.EMBEDDER = "null"
    embedder.cache_clear()
    make_current("hashing", 384)

    found = findings()

    assert "ok    embedder: RECOLLECT_EMBEDDER=null: words alone are searched" in found
    assert "the vectors of hashing (384) are kept and not asked" in found
    assert "WRONG" not in found


@pytest.mark.usefixtures("healthy")
def test_before_the_first_vectors_switched_off_means_nothing_to_keep(settings: Settings):
    settings.EMBEDDER = "null"
    embedder.cache_clear()

    found = findings()

    assert "no vectors are made\n" in found
    assert "→ To search" not in found


@pytest.mark.usefixtures("healthy")
def test_it_misses_the_model_of_the_vectors_in_use(settings: Settings):
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    make_current("text-embedding-3-large", 3072)

    found = findings()

    assert "WRONG embedder: what makes the stored vectors is missing" in found


@pytest.mark.usefixtures("healthy")
def test_it_is_content_with_vectors_of_the_model_of_the_settings():
    make_current("hashing", 384)

    assert "WRONG" not in findings()

"""Personas: alice owns, bob may not see; porter is alice's agent, rival is another tenant's."""

import fcntl
import os
import re
import socket
from ipaddress import ip_address
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as examples
from rest_framework.test import APIClient
from xdist.scheduler import LoadScopeScheduling

from accounts.keys import issue_key
from accounts.models import Agent, Organization, User
from accounts.roles import missing_right
from providers.registry import chat_model, chat_model_named, embedder, embedder_named
from recall.search.questions.vectors import QUESTION_VECTORS
from tests.factories import make_agent

# Meaning is tested where it is tested: everywhere else no model is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# How long an example takes says how busy the machine is; a fixture is made once for all of them.
UNASKED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
examples.register_profile("shared", deadline=None, suppress_health_check=UNASKED)
examples.load_profile("shared")
# A whole installation, or a browser.
SHARED = re.compile("^tests/live/|browser|newcomer|every_page")


class ByModule(LoadScopeScheduling):  # type: ignore[misc]
    """Gives single tests to whoever is free, and whole modules where they share what starts slowly."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return module if SHARED.search(module) else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByModule:
    return ByModule(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Name each call of the schema: of tests with one id, a parallel run does the first alone."""
    label = item.name.partition("[")[2].removesuffix("]")
    if label and item.id.params is None:
        # pytest takes the id from what schemathesis does not set, and offers no other way.
        object.__setattr__(item, "_id", item.id.with_params(label))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long forms to `make test-full`."""
    names = [item.nodeid for item in items]
    assert len(set(names)) == len(names), "two tests with one id: a parallel run does one of them"
    if os.environ.get("RECOLLECT_FULL"):
        return
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(pytest.mark.skip(reason="long form: make test-full"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker
) -> None:
    """Migrate once for all processes of a run: each copies what the first has made."""
    if os.environ.get("DATABASE_URL") or "RECOLLECT_DATA" not in os.environ:
        return
    place = Path(os.environ["RECOLLECT_DATA"]) / "migrated"
    with place.with_suffix(".lock").open("w") as lock, django_db_blocker.unblock():
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            call_command("migrate", verbosity=0)
            connection.close()
            place.touch()
    connection.settings_dict["TEST"]["TEMPLATE"] = connection.settings_dict["NAME"]


@pytest.fixture(autouse=True)
def hashing(settings):
    settings.EMBEDDER, settings.CHAT = "hashing", "offline"
    settings.SYNTHESIS_QUIET_SECONDS = 0
    _forget_models()
    yield
    _forget_models()


def _forget_models() -> None:
    for found in (embedder, embedder_named, chat_model, chat_model_named):
        found.cache_clear()
    QUESTION_VECTORS.clear()


@pytest.fixture(autouse=True, scope="session")
def no_network():
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect

    def guarded(self, address):
        if self.family != socket.AF_UNIX and not ip_address(address[0]).is_loopback:
            raise OSError(f"a test wanted to reach {address[0]}")
        return connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.fixture
def porter(db) -> Agent:
    return make_agent("porter")


@pytest.fixture
def rival(db) -> Agent:
    """Return an agent of another organization."""
    other = Organization.objects.create(slug="elsewhere", name="Elsewhere")
    return make_agent("rival", organization=other)


@pytest.fixture
def roles(db) -> None:
    """Go on only where the database lets us make roles, as the embedded one does."""
    missing = missing_right()
    if missing:
        pytest.skip(f"the database role lacks {missing}")


@pytest.fixture
def superuser(db) -> None:
    """Go on only where we may make any role and be it."""
    with connection.cursor() as cursor:
        cursor.execute("show is_superuser")
        if cursor.fetchone() != ("on",):
            pytest.skip("the database role is no superuser")


def client_of(agent: Agent) -> APIClient:
    key = issue_key(organization=agent.organization, agent=agent, actor="test").text
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


@pytest.fixture
def api(porter: Agent) -> APIClient:
    """Return a client with porter's key."""
    return client_of(porter)


@pytest.fixture
def rival_api(rival: Agent) -> APIClient:
    return client_of(rival)


@pytest.fixture
def operator_api(porter: Agent) -> APIClient:
    """Return a client with an operator's key of porter's organization."""
    issued = issue_key(organization=porter.organization, scopes=("operator",), actor="test")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issued.text}")
    return client


@pytest.fixture
def operator(db) -> User:
    """Return a person who may see the admin and the pages."""
    return User.objects.create_superuser("operator", password="correct horse battery")

"""What every way to a tool's own words keeps to; and how old ones are refreshed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Connection
from accounts.owners import resolve_owner
from consolidation.errors import FetchFailed
from consolidation.observations.connections import push_context, read_context
from consolidation.observations.tool_fetching import FETCHERS
from knowledge.connections import connect
from knowledge.errors import ConnectionUnfit
from knowledge.models import ConnectionContext
from tests.contracts.tool_server import running

SAID = {"fields": ["title"]}
WAYS = sorted(FETCHERS)


@pytest.fixture
def tool(settings):
    with running() as server:
        settings.TOOL_HOSTS = [server.host]
        yield server


@pytest.fixture
def made(porter, tool):
    def make(way: str) -> Connection:
        owner = resolve_owner(agent=porter, user="alice")
        address = tool.url if way == "http" else ""
        fields = {"tool": "tracker", "name": way, "refresh": way, "schema_url": address}
        return connect(owner=owner, actor="test", fields=fields)

    return make


def say(tool, connection) -> None:
    if connection.refresh == "pushed":
        push_context(connection=connection, data=SAID)


def age(connection, seconds: int = 90_000) -> None:
    past = timezone.now() - timedelta(seconds=seconds)
    ConnectionContext.objects.filter(connection=connection).update(expires_at=past)


def silence(tool) -> None:
    tool.status = 500


@pytest.mark.parametrize("way", WAYS)
def test_it_returns_what_the_tool_says(made, tool, way):
    connection = made(way)
    say(tool, connection)

    assert FETCHERS[way].fetch(connection, "schema") == SAID


@pytest.mark.parametrize("way", WAYS)
def test_it_fails_with_a_code_where_the_tool_says_nothing(made, tool, way):
    silence(tool)

    with pytest.raises(FetchFailed) as caught:
        FETCHERS[way].fetch(made(way), "schema")
    assert caught.value.code in {"fetch_unavailable", "context_not_pushed"}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_no_object_or_too_large_is_not_kept(made, tool, way):
    connection = made(way)
    large = {"a": "x" * 65_536}
    tool.body = b'["title"]'

    with pytest.raises((FetchFailed, ConnectionUnfit)):
        if way == "pushed":
            push_context(connection=connection, data=large)
        FETCHERS[way].fetch(connection, "schema")
    assert not ConnectionContext.objects.exists()


@pytest.mark.requirement("TS-67")
@pytest.mark.parametrize("way", WAYS)
def test_it_is_kept_for_a_day_and_no_longer(made, tool, settings, way):
    connection = made(way)
    say(tool, connection)

    first = read_context(connection=connection)
    again = read_context(connection=connection)

    assert first == again
    assert (first.data, first.degraded) == (SAID, "")
    assert first.expires_at - first.fetched_at == timedelta(seconds=86_400)
    assert tool.asked in ([], ["/schema?v=1&kind=schema"])


@pytest.mark.requirement("TS-67")
def test_once_too_old_it_is_asked_for_again(made, tool, settings):
    connection = made("http")
    read_context(connection=connection)
    age(connection)
    tool.body = b'{"fields": ["title", "owner"]}'
    settings.CONNECTION_CONTEXT_SECONDS = 60

    found = read_context(connection=connection)

    assert found.data == {"fields": ["title", "owner"]}
    assert found.expires_at - found.fetched_at == timedelta(seconds=60)
    assert len(tool.asked) == 2


@pytest.mark.requirement("TS-67")
@pytest.mark.parametrize(
    ("way", "code"), [("http", "fetch_unavailable"), ("pushed", "context_not_pushed")]
)
def test_what_cannot_be_refreshed_is_served_and_says_so(made, tool, way, code):
    connection = made(way)
    say(tool, connection)
    read_context(connection=connection)
    age(connection)
    silence(tool)

    found = read_context(connection=connection)

    assert (found.data, found.degraded) == (SAID, code)
    assert ConnectionContext.objects.get().error_code == code
    tool.status = 200
    say(tool, connection)
    assert read_context(connection=connection).degraded == ""
    assert ConnectionContext.objects.get().error_code == ""


def test_of_what_was_never_known_nothing_is_served(made):
    found = read_context(connection=made("pushed"), kind="metadata")

    assert (found.data, found.fetched_at, found.degraded) == ({}, None, "context_not_pushed")


def test_what_is_fetched_is_not_pushed(made):
    with pytest.raises(ConnectionUnfit):
        push_context(connection=made("http"), data=SAID)


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest",
        "http://localhost:{port}/schema",
        "http://127.0.0.1/schema",
        "http://alice@{host}/schema",
        "ftp://{host}/schema",
        "file:///etc/passwd",
        "http://{host}.elsewhere.test/",
        "http://[::1/",
        "schema",
    ],
)
def test_no_other_host_is_ever_asked(made, tool, address):
    connection = made("http")
    connection.schema_url = address.format(host=tool.host, port=tool.server_port)

    with pytest.raises(FetchFailed) as caught:
        FETCHERS["http"].fetch(connection, "schema")
    assert caught.value.code == "fetch_refused"
    assert tool.asked == []


def test_without_a_list_of_hosts_nothing_is_asked(made, tool, settings):
    settings.TOOL_HOSTS = []

    assert read_context(connection=made("http")).degraded == "fetch_refused"
    assert tool.asked == []


def test_a_redirect_is_not_followed(made, tool):
    tool.status, tool.headers = 302, {"Location": f"http://{tool.host}/elsewhere"}

    assert read_context(connection=made("http")).degraded == "fetch_unavailable"
    assert len(tool.asked) == 1


@pytest.mark.parametrize("body", [b"{", b"", b"\xff", b'{"a": "' + b"x" * 65_536 + b'"}', b"[]"])
def test_an_answer_that_cannot_be_kept_is_none(made, tool, body):
    tool.body = body

    assert read_context(connection=made("http")).degraded == "fetch_unfit"


def test_a_tool_that_is_not_there_is_unavailable(made, settings):
    connection = made("http")
    settings.TOOL_HOSTS = ["127.0.0.1:1"]
    connection.schema_url = "http://127.0.0.1:1/"

    assert read_context(connection=connection).degraded == "fetch_unavailable"

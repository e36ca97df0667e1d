"""The address /mcp as bytes: what is no call of a well-behaved client."""

import json

import pytest

from api.v1.tools.registry import TOOLS
from knowledge.models import KnowledgeDocument
from tests.api.hostile import BODIES, KEYS
from tests.conftest import client_of

URL = "/mcp?profile=all"
JSON = "application/json"
ACCEPT = {"HTTP_ACCEPT": "application/json, text/event-stream"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def send(client, message: object, url: str = URL, **headers: str):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return client.post(url, body, content_type=JSON, **{**ACCEPT, **headers})


def call(client, name: str, arguments: object, **headers: str):
    params = {"name": name, "arguments": arguments}
    return send(client, {**LIST, "method": "tools/call", "params": params}, **headers)


def test_a_tool_runs_in_the_thread_of_its_request(api):
    """In any other thread it would not see what this test's transaction holds."""
    answer = call(api, "choir.memory.upsert", {"op": "insert", "key": "k", "content": "Miso"})

    assert answer.json()["result"]["structuredContent"]["outcome"] == "inserted"
    assert KnowledgeDocument.objects.get().content == "Miso"


@pytest.mark.parametrize("key", KEYS)
def test_a_bad_key_gets_no_further_than_the_door(client, db, key):
    answer = send(client, LIST, HTTP_AUTHORIZATION=key)

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert answer.json()["code"] in {"not_authenticated", "authentication_failed"}


def test_a_cookie_authenticates_nobody(client, operator):
    client.force_login(operator)

    assert send(client, LIST).status_code == 401


def test_an_operator_has_no_memory_to_show(operator_api):
    assert send(operator_api, LIST).json()["code"] == "permission_denied"


@pytest.mark.parametrize("method", ["get", "delete", "put", "patch"])
def test_it_takes_nothing_but_posts(api, method):
    answer = getattr(api, method)(URL)

    assert answer.status_code == 405
    assert "POST" in answer["Allow"]
    assert answer.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("body", [one for one in BODIES if len(one) <= 1_048_576])
def test_what_is_no_message_is_refused_in_the_protocols_words(api, body):
    answer = send(api, body)

    assert answer.status_code == 400, answer.content
    assert answer.json()["error"]["code"] in {-32700, -32600, -32602}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "1.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []},
    ],
)
def test_a_malformed_message_is_a_clients_fault(api, message):
    assert send(api, message).status_code == 400


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("no/such", {}),
        ("tools/call", {}),
        ("tools/call", {"name": 7}),
        ("tools/call", {"name": "no_such_tool"}),
        ("tools/call", {"name": "choir.memory.query", "arguments": []}),
        ("resources/read", {}),
    ],
)
def test_a_call_of_nothing_is_an_error_of_the_protocol(api, method, params):
    answer = send(api, {**LIST, "method": method, "params": params})

    assert answer.json()["error"]["code"] in {-32601, -32602}


@pytest.mark.parametrize("arguments", [{"op": "insert", "content": "x" * 70_000}, {"op": []}])
def test_unfit_arguments_are_the_tools_to_refuse(api, arguments):
    answer = call(api, "choir.memory.upsert", arguments).json()["result"]

    assert answer["isError"]
    assert answer["structuredContent"]["code"] == "invalid"


@pytest.mark.parametrize(
    "where", [{"session": "x"}, {"user": 7}, {"user": ""}, {"user": "x" * 300}]
)
def test_a_place_that_is_none_is_refused(api, where):
    arguments = {"store": "knowledge", "mode": "text", "query": "x", **where}

    answer = call(api, "choir.memory.query", arguments).json()["result"]

    assert answer["structuredContent"]["code"] == "invalid"


def test_a_body_too_large_is_refused_before_it_is_read(api):
    answer = send(api, b" " * 1_048_577)

    assert answer.status_code == 413
    assert answer.json()["code"] == "body_too_large"


@pytest.mark.parametrize("header", ["HTTP_X_RECOLLECT_SESSION", "HTTP_X_RECOLLECT_LANE"])
def test_a_header_that_says_no_place_is_refused(api, header):
    assert send(api, LIST, **{header: "x"}).json()["code"] == "invalid"


def test_an_unknown_profile_is_refused(api):
    answer = send(api, LIST, url="/mcp?profile=none")

    assert answer.status_code == 422
    assert "profile" in answer.json()["detail"]["fields"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_versions_with_a_handshake_are_served_without_one(api, version):
    answer = send(api, LIST, HTTP_MCP_PROTOCOL_VERSION=version)

    assert len(answer.json()["result"]["tools"]) == len(TOOLS)


def test_an_unknown_version_is_refused(api):
    answer = send(api, LIST, HTTP_MCP_PROTOCOL_VERSION="1999-01-01")

    assert answer.status_code == 400


def test_a_notification_is_taken_without_an_answer(api):
    message = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    answer = send(api, message)

    assert answer.status_code == 202
    assert answer.content == b""


@pytest.mark.parametrize("origin", [None, "http://testserver", "https://trusted.example"])
def test_programs_and_trusted_pages_may_ask(api, settings, origin):
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example"]

    answer = send(api, LIST, **({"HTTP_ORIGIN": origin} if origin else {}))

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://testserver.evil.example",
        "file://",
        "http://[",
        "x",
    ],
)
def test_a_strangers_page_may_not(api, origin):
    answer = send(api, LIST, HTTP_ORIGIN=origin)

    assert answer.status_code == 403
    assert answer.json()["code"] == "permission_denied"


def test_a_name_bent_to_this_address_is_refused(api):
    answer = send(api, LIST, HTTP_HOST="evil.example", HTTP_ORIGIN="http://evil.example")

    assert answer.status_code == 400
    assert answer.json()["code"] == "unknown_host"


def test_too_many_requests_are_told_to_wait(porter, settings):
    settings.REQUESTS_PER_SECOND = 1
    client = client_of(porter)

    answers = [send(client, LIST) for _ in range(8)]

    assert {answer.status_code for answer in answers} == {200, 429}
    assert answers[-1]["Retry-After"] == "1"


def test_what_nobody_foresaw_names_nothing(api, monkeypatch, caplog):
    monkeypatch.setattr("api.mcp.server.call_tool", _explode)

    answer = call(api, "choir.memory.query", {}).json()["result"]

    assert answer["isError"]
    assert answer["structuredContent"]["code"] == "internal_error"
    assert "my secret" not in json.dumps(answer)
    assert "a tool failed: RuntimeError" in caplog.text


def _explode(*args: object, **kwargs: object):
    raise RuntimeError("my secret")

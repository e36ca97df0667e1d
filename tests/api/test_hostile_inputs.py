"""No input gets a failure of the server for an answer."""

import pytest

from tests.api import hostile
from tests.factories import make_session


@pytest.fixture
def session(porter) -> str:
    return str(make_session(porter).pk)


OPERATORS = ("agents", "budgets", "changesets", "jobs", "organization", "users/alice/balance")


def check(answer) -> None:
    assert answer.status_code < 500, answer.content
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json"
        body = answer.json()
        assert {"status", "code", "title", "hint"} <= body.keys()
        assert body["hint"]


def address(path: str, session: str) -> str:
    return "/api/v1/" + path.replace("SESSION", session)


def client_for(path: str, api, operator_api):
    return operator_api if path.startswith(OPERATORS) else api


def test_the_corpus_is_as_large_as_it_should_be():
    assert len(list(hostile.fields())) > 700


@pytest.mark.parametrize("path", hostile.POSTS)
def test_no_value_of_a_field_breaks_a_route(api, operator_api, session, path):
    client = client_for(path, api, operator_api)

    for where, body in hostile.fields():
        if where == path:
            body = body.replace(b"SESSION", session.encode())
            check(client.post(address(path, session), body, content_type="application/json"))


@pytest.mark.parametrize("path", hostile.PATCHES)
def test_no_change_breaks_a_route(api, operator_api, path):
    client = client_for(path, api, operator_api)

    for where, body in hostile.changes():
        if where == path:
            check(client.patch(f"/api/v1/{path}", body, content_type="application/json"))
    for body in hostile.BODIES:
        check(client.patch(f"/api/v1/{path}", body, content_type="application/json"))


@pytest.mark.parametrize("path", hostile.PUTS)
def test_no_replacement_breaks_a_route(api, operator_api, session, path):
    client = client_for(path, api, operator_api)
    bodies = [body for where, body in hostile.puts() if where == path]
    for body in (*bodies, *hostile.BODIES):
        check(client.put(f"/api/v1/{path}", body, content_type="application/json"))


@pytest.mark.parametrize("path", hostile.POSTS)
def test_no_body_and_no_type_breaks_a_route(api, operator_api, session, path):
    client = client_for(path, api, operator_api)

    for body in hostile.BODIES:
        check(client.generic("POST", address(path, session), body, content_type="application/json"))
    for kind in hostile.TYPES:
        check(client.generic("POST", address(path, session), b"a=1", content_type=kind))


@pytest.mark.parametrize("path", hostile.LISTS)
def test_no_query_breaks_a_list(api, operator_api, session, path):
    client = client_for(path, api, operator_api)

    for query in hostile.QUERIES:
        check(client.get(f"{address(path, session)}?{query}"))


@pytest.mark.parametrize("key", hostile.KEYS)
def test_no_credential_breaks_the_door(api, session, key):
    api.credentials(HTTP_AUTHORIZATION=key)

    answer = api.get(address("sessions", session))

    check(answer)
    assert answer.status_code == 401


@pytest.mark.parametrize("path", hostile.PATHS)
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
def test_no_address_breaks_a_method(operator_api, path, method):
    check(getattr(operator_api, method)(f"/api/v1/{path}"))


@pytest.mark.parametrize("path", hostile.KNOWLEDGE_PATHS)
def test_no_key_breaks_a_document_s_address(api, path):
    where = f"/api/v1/{path}"

    check(api.get(where))
    check(api.put(where, {"content": "x"}, format="json"))
    for version in ("", "x", '"-1"', '"٣"', "9" * 400, "*"):
        check(api.put(where, {"content": "x"}, format="json", HTTP_IF_MATCH=version))
    check(api.delete(where))


@pytest.mark.parametrize("path", hostile.KNOWLEDGE_PATHS)
def test_no_name_breaks_a_note_s_address(api, path):
    where = f"/api/v1/{path.replace('knowledge', 'notes', 1)}"

    check(api.get(where))
    check(api.put(where, {"content": "x"}, format="json"))
    for version in ("", "x", '"-1"', '"٣"', "9" * 400, "*"):
        check(api.patch(where, {"alias": "y"}, format="json", HTTP_IF_MATCH=version))
    check(api.delete(where))

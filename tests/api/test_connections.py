"""Connections over HTTP."""

import pytest

from accounts.models import Connection
from audit.models import AuditEntry

URL = "/api/v1/connections"


def make(client, **fields):
    return client.post(URL, {"user": "alice", "tool": "tracker", **fields}, format="json")


@pytest.mark.requirement("TS-65")
def test_a_connection_is_made_and_shown(api, porter):
    answer = make(api, name="work", persistent_learned_info={"project": "A"})

    assert (answer.status_code, answer.headers["ETag"]) == (201, '"1"')
    shown = answer.json()
    assert api.get(f"{URL}/{shown['id']}").json() == shown
    assert (shown["tool"], shown["name"], shown["refresh"]) == ("tracker", "work", "pushed")
    assert shown["persistent_learned_info"] == {"project": "A"}
    assert make(api, name="work").json()["code"] == "connection_exists"
    assert make(api, refresh="http").json()["code"] == "connection_unfit"


def test_it_is_changed_and_deleted_in_the_version_that_was_seen(api, porter):
    url = f"{URL}/{make(api).json()['id']}"
    seen, old = {"If-Match": '"1"'}, {"If-Match": '"7"'}

    assert api.patch(url, {"name": "x"}, format="json").status_code == 422
    changed = api.patch(url, {"name": "x", "is_active": False}, format="json", headers=seen)
    assert (changed.json()["version"], changed.json()["is_active"]) == (2, False)
    for nothing_new in ({}, {"name": "x"}):
        same = api.patch(url, nothing_new, format="json", headers={"If-Match": '"2"'})
        assert (same.status_code, same.headers["ETag"]) == (200, '"2"')
    assert api.patch(url, {}, format="json", headers=seen).status_code == 412
    assert AuditEntry.objects.filter(action="connection.change").count() == 1
    assert api.patch(url, {"name": "y"}, format="json", headers=seen).status_code == 412
    assert api.delete(url, headers=old).json()["code"] == "connection_changed"
    assert api.delete(url, headers={"If-Match": '"2"'}).status_code == 204
    assert api.get(url).status_code == 404


def test_a_users_connections_are_listed_newest_first(api, porter):
    ids = [make(api, name=name).json()["id"] for name in "abc"]
    make(api, user="bob")

    first = api.get(f"{URL}?user=alice&limit=2").json()
    second = api.get(f"{URL}?user=alice&limit=2&after={first['next']}").json()

    assert [row["id"] for row in (*first["results"], *second["results"])] == ids[::-1]
    assert api.get(f"{URL}?user=charlie").json()["results"] == []


@pytest.mark.requirement("TS-67")
def test_an_agent_sends_what_the_tool_says_of_itself(api, porter):
    url = f"{URL}/{make(api).json()['id']}/context"
    assert api.get(url).json()["degraded"] == "context_not_pushed"

    sent = api.put(url, {"data": {"fields": ["title"]}}, format="json").json()

    assert sent["data"] == {"fields": ["title"]}
    assert sent["degraded"] == ""
    assert api.get(url).json() == sent
    assert api.get(f"{url}?kind=metadata").json()["data"] == {}
    assert api.get(f"{url}?kind=else").status_code == 422


def test_another_agents_connection_is_not_found(api, rival_api, porter):
    url = f"{URL}/{make(api).json()['id']}"
    seen = {"If-Match": '"1"'}

    assert rival_api.get(url).status_code == 404
    assert rival_api.patch(url, {"name": "x"}, format="json", headers=seen).status_code == 404
    assert rival_api.delete(url).status_code == 404
    assert rival_api.get(f"{url}/context").status_code == 404
    assert rival_api.put(f"{url}/context", {"data": {}}, format="json").status_code == 404
    assert rival_api.get(f"{URL}?user=alice").json()["results"] == []
    assert Connection.objects.get().version == 1

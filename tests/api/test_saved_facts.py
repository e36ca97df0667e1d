"""Saved facts over HTTP."""

from datetime import UTC, datetime

import pytest

from accounts.owners import resolve_owner
from knowledge.models import SavedFact
from knowledge.workspace.files import read_file
from knowledge.workspace.memory import log_line
from recall.search.questions.text_vectors import SWITCH

URL = "/api/v1/saved-facts"


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.WORKSPACE = str(tmp_path)


def post(api, path="", **body):
    return api.post(f"{URL}{path}", body, format="json")


def save(api, key="cat", value="Whiskerino", **more):
    return post(api, key=key, value=value, **{"user": "alice"} | more)


def test_a_fact_is_saved_shown_changed_and_deleted(api, porter):
    saved = save(api, category="pets", confidence=0.5).json()
    one = f"{URL}/{saved['id']}?user=alice"
    alice = resolve_owner(agent=porter, user="alice")
    log_line(owner=alice, text="cat: Tom", at=datetime(2026, 5, 8, tzinfo=UTC))

    assert (saved["category"], saved["source"], saved["confidence"]) == ("pets", "manual", 0.5)
    assert api.get(one).json()["value"] == "Whiskerino"
    assert api.patch(one, {"value": "Tom"}, format="json").json()["value"] == "Tom"
    assert api.patch(one, {}, format="json").status_code == 422
    assert api.delete(one).status_code == 204
    assert api.get(one).status_code == 404
    assert "Tom" not in read_file(owner=alice, name="memory/2026-05-08.md")


@pytest.mark.requirement("OL-40")
def test_the_same_key_is_one_row(api):
    first, second = save(api).json(), save(api, value="Tom").json()

    assert first["id"] == second["id"]
    assert second["access_count"] == 1
    assert second["decay_score"] > first["decay_score"]


def test_a_list_pages_counts_no_access_and_keeps_to_the_category(api):
    for number in range(3):
        save(api, key=f"key {number}", category="pets" if number else "travel")

    page = api.get(f"{URL}?user=alice&limit=2").json()
    rest = api.get(f"{URL}?user=alice&limit=2&after={page['next']}").json()
    pets = api.get(f"{URL}?user=alice&category=PETS").json()["results"]

    assert [one["key"] for one in page["results"] + rest["results"]] == ["key 2", "key 1", "key 0"]
    assert rest["next"] is None
    assert {one["key"] for one in pets} == {"key 1", "key 2"}
    assert set(SavedFact.objects.values_list("access_count", flat=True)) == {0}


@pytest.mark.requirement("OL-38")
def test_a_search_counts_what_it_returns(api):
    save(api)
    save(api, key="train", value="at nine")

    found = post(api, "/search", query="whiskerino", user="alice", limit=1).json()

    assert [one["key"] for one in found["results"]] == ["cat"]
    assert found["results"][0]["score"] > 0
    assert dict(SavedFact.objects.values_list("key", "access_count")) == {"cat": 1, "train": 0}


def test_a_search_switches_vectors_on_again_where_it_says_so(api):
    for _ in range(3):
        SWITCH.note(failed=True)
    assert not SWITCH.is_on

    post(api, "/search", query="x", user="alice", vectors=True)

    assert SWITCH.is_on


def test_nobody_sees_what_is_another_users_or_another_agents(api, rival_api):
    saved = save(api).json()
    save(api, user="bob", key="dog", value="Rex")

    assert api.get(f"{URL}/{saved['id']}?user=bob").status_code == 404
    assert api.get(f"{URL}/{saved['id']}").status_code == 404
    assert api.delete(f"{URL}/{saved['id']}?user=nobody").status_code == 404
    assert rival_api.get(f"{URL}/{saved['id']}?user=alice").status_code == 404
    for client, user in ((api, "bob"), (api, "nobody"), (rival_api, "alice")):
        found = post(client, "/search", query="Whiskerino", user=user).json()
        assert "Whiskerino" not in str(found)
        assert "Whiskerino" not in str(client.get(f"{URL}?user={user}").json())


def test_without_a_user_it_is_the_agents_own(api):
    own = api.post(URL, {"key": "shop", "value": "opens at nine"}, format="json").json()

    assert api.get(f"{URL}/{own['id']}").json()["key"] == "shop"
    assert api.get(f"{URL}?user=alice").json() == {"results": [], "next": None}

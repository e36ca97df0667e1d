import pytest

from memory.models import Session

URL = "/api/v1/sessions"


def test_it_opens_a_session(api):
    answer = api.post(URL, {"user": "alice", "metadata": {"a": 1}}, format="json")

    assert answer.status_code == 201
    assert answer.json()["state"] == "open"
    assert answer.json()["metadata"] == {"a": 1}


def test_the_open_session_of_an_external_id_is_returned(api):
    first = api.post(URL, {"user": "alice", "external_id": "chat"}, format="json")

    second = api.post(URL, {"user": "alice", "external_id": "chat"}, format="json")

    assert second.status_code == 200
    assert second.json()["id"] == first.json()["id"]


@pytest.mark.requirement("OC-78")
def test_without_a_user_the_thread_owns_the_memory(api):
    answer = api.post(URL, {"external_id": "thread-1"}, format="json")

    owner = Session.objects.get(pk=answer.json()["id"]).owner
    assert (owner.kind, owner.key, owner.user) == ("thread", "thread-1", None)


def test_an_agent_opens_a_session_of_its_own(api, porter):
    body = {"owner": "agent", "external_id": "rounds"}
    first = api.post(URL, body, format="json")
    second = api.post(URL, body, format="json")

    owner = Session.objects.get(pk=first.json()["id"]).owner
    assert (owner.kind, owner.agent, owner.user) == ("agent", porter, None)
    assert second.json()["id"] == first.json()["id"]


def test_a_session_has_one_owner(api):
    answer = api.post(URL, {"owner": "agent", "user": "alice"}, format="json")

    assert (answer.status_code, Session.objects.count()) == (422, 0)


@pytest.mark.requirement("OC-79")
def test_without_user_and_thread_nothing_is_written(api):
    answer = api.post(URL, {}, format="json")

    assert answer.status_code == 422
    assert answer.json()["code"] == "owner_required"
    assert not Session.objects.exists()


def test_incognito_is_refused_and_stores_nothing(api):
    answer = api.post(URL, {"user": "alice", "mode": "incognito"}, format="json")

    assert answer.json()["code"] == "mode_unavailable"
    assert not Session.objects.exists()


def test_sessions_are_listed_in_pages_and_by_user(api):
    for user in ("alice", "alice", "bob"):
        api.post(URL, {"user": user}, format="json")

    first = api.get(URL, {"limit": 2}).json()
    rest = api.get(URL, {"limit": 2, "after": first["next"]}).json()
    alices = api.get(URL, {"user": "alice"}).json()

    assert [len(page["results"]) for page in (first, rest, alices)] == [2, 1, 2]
    assert rest["next"] is None


def test_a_session_shows_its_lanes_and_steps(api):
    session = api.post(URL, {"user": "alice"}, format="json").json()["id"]
    api.post(f"{URL}/{session}/end", {}, format="json")

    shown = api.get(f"{URL}/{session}").json()

    assert shown["lanes"] == {"edge": 0, "core": 0}
    assert [(step["name"], step["state"]) for step in shown["steps"]] == [
        ("safe_point", "due"),
        ("summary", "due"),
        ("arc", "due"),
        ("learn", "due"),
        ("chunk", "due"),
        ("embed", "due"),
        ("promote", "due"),
    ]


def test_ending_twice_changes_nothing(api):
    session = api.post(URL, {"user": "alice"}, format="json").json()["id"]

    first = api.post(f"{URL}/{session}/end", {}, format="json").json()
    second = api.post(f"{URL}/{session}/end", {}, format="json").json()

    assert first == second


@pytest.mark.requirement("XX-04")
def test_a_foreign_session_looks_like_none_at_all(api, rival_api):
    session = api.post(URL, {"user": "alice"}, format="json").json()["id"]
    unknown = "01a1fc16-b108-7283-92fb-dd5eeee93618"

    for path in ("", "/events", "/context", "/end"):
        call = rival_api.get if path in {"", "/events"} else rival_api.post
        foreign = call(
            f"{URL}/{session}{path}", {} if path in {"", "/events"} else None, format="json"
        )
        none = call(
            f"{URL}/{unknown}{path}", {} if path in {"", "/events"} else None, format="json"
        )
        assert foreign.status_code == none.status_code == 404
        assert foreign.content == none.content

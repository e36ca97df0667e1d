"""Observations over HTTP: noted at once, worked in later, listed for ever."""

import pytest

from accounts.models import Connection, Owner
from accounts.owners import resolve_owner
from consolidation.models import ContextEvent, Job
from tests.factories import make_session

URL = "/api/v1/observations"
ROOM = "0c1f9c3e-7a51-4f7a-9a52-6f3b1c9d2e10"


def note(client, content="Alice bakes bread.", category="fact", key=None, **body):
    headers = {"Idempotency-Key": key} if key else {}
    body = {"content": content, "category": category, "user": "alice", **body}
    body = {name: value for name, value in body.items() if value is not None}
    return client.post(URL, body, format="json", headers=headers)


@pytest.mark.requirement("TS-08")
def test_it_is_noted_before_anything_is_worked_in(api, porter):
    answer = note(api, occurred_at="2026-05-08T00:00:00Z")

    assert answer.status_code == 201
    shown = answer.json()
    assert (shown["recorded"], shown["state"], shown["processed"]) == (True, "waiting", False)
    assert shown["source_metadata"] == {"source": "interactive"}
    assert shown["observed_at"].startswith("2026-05-08T00:00:00")
    found = ContextEvent.objects.get()
    assert (found.owner.key, found.content) == ("alice", "Alice bakes bread.")
    assert not Job.objects.filter(kind="synthesise").exists()


@pytest.mark.requirement("TS-70")
def test_it_names_its_session_and_connection(api, porter):
    session = make_session(porter)
    tool = Connection.objects.create(owner=session.owner, tool="mail")

    shown = note(api, user=None, session=str(session.pk), connection=str(tool.pk)).json()

    assert shown["source_metadata"] == {
        "source": "interactive",
        "session_id": str(session.pk),
        "connection_id": str(tool.pk),
    }


def test_a_repetition_is_noted_once(api):
    first, again = note(api, key="k"), note(api, key="k")

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert note(api, "Something else.", key="k").json()["code"] == "idempotency_conflict"
    assert ContextEvent.objects.count() == 1


@pytest.mark.requirement("TS-11")
def test_a_category_that_there_is_not_is_refused(api, porter):
    answer = note(api, category="scaffold_update")

    assert (answer.status_code, answer.json()["code"]) == (422, "category_unknown")
    assert not Owner.objects.filter(key="alice").exists()


def test_it_must_say_whose_it_is(api, porter, rival_api):
    session = make_session(porter)

    assert note(api, user=None).json()["code"] == "owner_required"
    assert note(api, user="bob", session=str(session.pk)).json()["code"] == "not_found"
    assert note(rival_api, session=str(session.pk)).status_code == 404
    assert not ContextEvent.objects.exists()


def test_another_users_connection_is_not_found(api, porter):
    bob = resolve_owner(agent=porter, user="bob")
    tool = Connection.objects.create(owner=bob, tool="mail")

    assert note(api, connection=str(tool.pk)).status_code == 404


def test_an_agent_without_profiles_says_so(api, porter):
    porter.keeps_profile = False
    porter.save()

    answer = note(api)

    assert (answer.status_code, answer.json()["code"]) == (409, "profile_off")


def test_an_incognito_session_writes_nothing_and_says_so(api):
    answer = note(api, session=ROOM)

    assert (answer.status_code, answer.json()) == (200, {"recorded": False, "reason": "incognito"})
    assert not ContextEvent.objects.exists()


@pytest.mark.requirement("TS-09")
def test_what_was_observed_stays_listed_with_what_became_of_it(api, porter):
    ids = [note(api, f"Thing {number}.").json()["id"] for number in range(3)]
    note(api, "Of bob.", user="bob")
    ContextEvent.objects.filter(pk=ids[0]).update(processed=True)
    ContextEvent.objects.filter(pk=ids[1]).update(set_aside_at="2026-05-08T00:00:00Z")

    first = api.get(f"{URL}?user=alice&limit=2").json()
    second = api.get(f"{URL}?user=alice&limit=2&after={first['next']}").json()

    rows = [*first["results"], *second["results"]]
    assert [row["id"] for row in rows] == ids[::-1]
    assert [row["state"] for row in rows] == ["waiting", "set_aside", "processed"]
    assert second["next"] is None


def test_nobody_sees_another_agents_observations(api, rival_api):
    note(api)

    assert rival_api.get(f"{URL}?user=alice").json()["results"] == []
    assert api.get(f"{URL}?user=charlie").json()["results"] == []
    assert api.get(URL).status_code == 422

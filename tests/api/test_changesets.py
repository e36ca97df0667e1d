import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.ids import new_id
from accounts.keys import issue_key
from audit.models import AuditEntry
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.models import Changeset, Fact
from tests.factories import make_agent
from tests.knowledge.learned import added, change, changed, fact_fields, owner_of, replaced

URL = "/api/v1/changesets"


@pytest.fixture
def owner(porter):
    return owner_of(porter)


@pytest.fixture
def strange_api(rival):
    """Return a client with an operator's key of another organization."""
    issued = issue_key(organization=rival.organization, scopes=("operator",), actor="test")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issued.text}")
    return client


def all_wait(owner):
    policies = [NewPolicy("context", "approved")]
    set_policies(agent=owner.agent, owner=None, policies=policies, actor="test")


def test_a_run_is_shown_with_each_change_and_its_reason(owner, operator_api):
    made = changed(owner, added())

    body = operator_api.get(f"{URL}/{made.pk}").json()

    (item,) = body["items"]
    assert (body["agent"], body["user"], body["origin"]) == ("porter", "alice", "turn")
    assert (body["items_total"], body["items_waiting"]) == (1, 0)
    assert (item["item"], item["kind"], item["act"], item["state"]) == (0, "fact", "add", "applied")
    assert (item["quote"], item["code"], item["before"]) == ("I live in Lyon.", "llm_policy", None)
    assert item["after"]["object"] == "Lyon"


def test_a_list_is_of_one_person_newest_first_and_without_words(owner, porter, operator_api):
    mine = [changed(owner, added()).pk for _ in range(3)]
    changed(owner_of(porter, "bob"), added())

    first = operator_api.get(f"{URL}?user=alice&limit=2").json()
    rest = operator_api.get(f"{URL}?user=alice&limit=2&after={first['next']}").json()

    shown = [one["id"] for one in first["results"] + rest["results"]]
    assert shown == [str(pk) for pk in reversed(mine)]
    assert rest["next"] is None
    assert "Lyon" not in str(first)
    assert len(operator_api.get(URL).json()["results"]) == 4
    assert operator_api.get(f"{URL}?user=nobody").json()["results"] == []


def test_a_list_may_be_of_one_agent_or_of_what_waits(owner, operator_api):
    changed(owner, added())
    changed(owner_of(make_agent("baker")), added())
    all_wait(owner)
    waiting = changed(owner, added())

    assert len(operator_api.get(f"{URL}?agent=porter").json()["results"]) == 2
    (found,) = operator_api.get(f"{URL}?state=waiting").json()["results"]
    assert (found["id"], found["items_waiting"]) == (str(waiting.pk), 1)


def test_a_list_asks_the_database_as_often_however_long_it_is(owner, operator_api):
    counts = []
    for _ in range(4):
        changed(owner, added())
        with CaptureQueriesContext(connection) as queries:
            operator_api.get(URL)
        counts.append(len(queries))

    assert len(set(counts[1:])) == 1


def test_a_run_is_taken_back_by_one_call(owner, operator_api):
    old = added()
    changed(owner, old)
    new = added(fields=fact_fields("Paris", "I moved to Paris."))
    made = changed(owner, new, replaced(old.target, new.target))

    answer = operator_api.post(f"{URL}/{made.pk}/revert")
    again = operator_api.post(f"{URL}/{made.pk}/revert")

    body = answer.json()
    assert (answer.status_code, again.json()) == (200, body)
    assert (body["origin"], body["reverts"]) == ("revert", str(made.pk))
    shown = operator_api.get(f"{URL}/{made.pk}").json()
    assert shown["reverted_by"] == body["id"]
    assert {item["state"] for item in shown["items"]} == {"reverted"}
    assert Fact.objects.active().get().object == "Lyon"
    entry = AuditEntry.objects.filter(action="changeset.revert").first()
    assert (entry.subject, entry.detail) == (str(made.pk), {"items": 2})
    assert "Lyon" not in str(entry.detail)


def test_a_reversal_is_final(owner, operator_api):
    made = changed(owner, added())
    undo = operator_api.post(f"{URL}/{made.pk}/revert").json()["id"]

    answer = operator_api.post(f"{URL}/{undo}/revert")

    assert (answer.status_code, answer.json()["code"]) == (409, "changeset_final")


@pytest.mark.parametrize(("decision", "facts"), [("approve", 1), ("reject", 0)])
def test_what_waits_is_decided_once(owner, operator_api, decision, facts):
    all_wait(owner)
    made = changed(owner, added())

    answer = operator_api.post(f"{URL}/{made.pk}/items/0/{decision}")
    again = operator_api.post(f"{URL}/{made.pk}/items/0/{decision}")

    (item,) = answer.json()["items"]
    assert item["decided_by"].startswith("key ")
    assert (again.status_code, again.json()["code"]) == (409, "change_not_waiting")
    assert Fact.objects.count() == facts
    assert AuditEntry.objects.filter(action=f"change.{decision}").count() == 1


def test_what_was_changed_meanwhile_is_not_approved(owner, operator_api):
    old = added()
    changed(owner, old)
    all_wait(owner)
    made = changed(owner, change("fact", "retire", old.target, {"superseded_by": "x"}))
    changed(owner, change("fact", "retire", old.target, {"superseded_by": "y"}), origin="person")

    answer = operator_api.post(f"{URL}/{made.pk}/items/0/approve")

    assert (answer.status_code, answer.json()["code"]) == (412, "item_changed")
    assert not AuditEntry.objects.filter(action="change.approve").exists()


def test_another_organizations_runs_are_not_there(owner, strange_api):
    all_wait(owner)
    made = changed(owner, added())

    assert strange_api.get(URL).json()["results"] == []
    assert strange_api.get(f"{URL}/{made.pk}").status_code == 404
    for act in ("revert", "items/0/approve", "items/0/reject"):
        assert strange_api.post(f"{URL}/{made.pk}/{act}").status_code == 404
    made.refresh_from_db()
    assert made.reverted_at is None
    assert Changeset.objects.count() == 1


def test_an_agents_key_is_not_enough(owner, api):
    made = changed(owner, added())

    assert api.get(URL).status_code == 403
    assert api.get(f"{URL}/{made.pk}").status_code == 403
    assert api.post(f"{URL}/{made.pk}/revert").status_code == 403


def test_what_is_not_there_is_not_found(owner, operator_api):
    made = changed(owner, added())

    assert operator_api.get(f"{URL}/{new_id()}").status_code == 404
    for number in (7, 10**17):
        assert operator_api.post(f"{URL}/{made.pk}/items/{number}/approve").status_code == 404


@pytest.mark.parametrize("query", ["after=x", "state=none", "limit=0", "user=%00"])
def test_a_query_that_does_not_fit_is_refused(operator_api, query):
    assert operator_api.get(f"{URL}?{query}").status_code == 422

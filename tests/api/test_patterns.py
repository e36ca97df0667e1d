import pytest

from knowledge.models import Pattern
from tests.conftest import client_of
from tests.factories import WHEN, make_session

URL = "/api/v1"


@pytest.fixture
def owner(porter):
    found = make_session(porter).owner
    Pattern.objects.create(
        owner=found,
        kind="tool",
        key="train_times",
        text="Used train_times",
        words=["train", "porto"],
        strength=0.5,
        first_seen_at=WHEN,
        last_seen_at=WHEN,
    )
    return found


def suggested(api, **fields):
    body = {"user": "alice", "request": "A train to Porto", **fields}
    return api.post(f"{URL}/suggestions", body, format="json")


def test_it_lists_what_comes_back(porter, owner):
    answer = client_of(porter).get(f"{URL}/memory/patterns?user=alice").json()

    (pattern,) = answer["patterns"]
    assert (pattern["kind"], pattern["text"], pattern["strength"]) == (
        "tool",
        "Used train_times",
        0.5,
    )
    assert "words" not in pattern


@pytest.mark.requirement("TS-83")
def test_it_suggests_a_tool(porter, owner):
    (one,) = suggested(client_of(porter)).json()["suggestions"]

    assert (one["tool"], one["score"]) == ("train_times", 0.75)


def test_a_user_nobody_has_met_has_none(porter):
    api = client_of(porter)

    assert suggested(api, user="charlie").json() == {"suggestions": []}
    assert api.get(f"{URL}/memory/patterns?user=charlie").json() == {"patterns": []}


def test_another_agent_s_patterns_are_not_found(owner, rival):
    assert suggested(client_of(rival)).json() == {"suggestions": []}


def test_it_wants_to_know_whose(porter):
    answer = suggested(client_of(porter), user="")

    assert answer.status_code == 422


def test_a_session_that_is_not_the_user_s_is_refused(porter, owner):
    other = make_session(porter, "bob")

    answer = client_of(porter).get(f"{URL}/memory/patterns?user=alice&session={other.pk}")

    assert answer.status_code == 404

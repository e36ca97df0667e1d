from datetime import UTC, datetime, timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.inspector.history.pasts import make_past

URL = "/api/v1/memory/as-of"


def asked(client, at, user: str = "alice", **more):
    return client.get(URL, {"user": user, "at": at, **more})


def test_it_shows_what_was_known_then(porter, api):
    past = make_past(porter)
    at = past.first.created_at.isoformat()

    then, now = asked(api, at).json(), asked(api, datetime.now(UTC).isoformat()).json()

    assert sorted(one["object"] for one in then["facts"]) == ["Lyon", "green tea"]
    assert sorted(one["object"] for one in now["facts"]) == ["Paris", "black tea"]
    assert then["sessions"][0]["summary"] == "They planned the move."
    assert then["rules"][0]["text"] == "You answer briefly."
    assert (then["narrative"], then["scaffold"]) == ("", {})
    assert now["narrative"] == "She is moving house."
    assert now["scaffold"]["/Work/Role"] == "baker"
    assert then["facts"][0]["created_at"] == then["at"]
    assert asked(api, "2020-01-01").json()["facts"] == []


def test_a_wrong_question_is_answered_with_the_problem(porter, api):
    make_past(porter)
    now = datetime.now(UTC)
    soon = (now + timedelta(minutes=5)).isoformat()

    for query, status, code in (
        ({"at": "yesterday"}, 422, "invalid"),
        ({"at": soon}, 422, "invalid"),
        ({"at": "9999-01-01T00:00:00Z"}, 422, "invalid"),
        ({"at": ""}, 422, "invalid"),
        ({"user": "bob"}, 404, "user_unknown"),
        ({"user": ""}, 422, "owner_required"),
    ):
        answer = api.get(URL, {"user": "alice", "at": now.isoformat(), **query})

        assert (answer.status_code, answer.json()["code"]) == (status, code), query
        assert answer["Content-Type"] == "application/problem+json"
    assert "future" in str(asked(api, soon).json())
    assert api.get(URL, {"user": "alice"}).status_code == 422


def test_another_agent_finds_nobody(porter, rival_api):
    make_past(porter)

    assert asked(rival_api, "2026-01-01").status_code == 404


def test_it_asks_the_database_as_often_however_long_the_history_is(porter, api):
    counts = []
    for _ in range(3):
        make_past(porter)
        with CaptureQueriesContext(connection) as queries:
            asked(api, datetime.now(UTC).isoformat())
        counts.append(len(queries))

    assert len(set(counts[1:])) == 1

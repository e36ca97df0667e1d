import threading

import pytest
from django.db import connection

from memory.models import Event
from tests.conftest import client_of
from tests.factories import make_agent, make_session

GOOD = {"role": "user", "content": "hello"}


@pytest.fixture
def url(porter) -> str:
    return f"/api/v1/sessions/{make_session(porter).pk}/events"


def test_messages_become_events_in_their_order(api, url):
    messages = [GOOD, {"role": "assistant", "content": "hi"}]

    answer = api.post(url, {"messages": messages}, format="json")

    assert answer.status_code == 201
    assert [event["seq"] for event in answer.json()["events"]] == [1, 2]
    assert all(event["hash"].startswith("ev-") for event in answer.json()["events"])


def test_the_log_is_read_back_in_pages(api, url):
    api.post(url, {"messages": [GOOD] * 5}, format="json")

    first = api.get(url, {"limit": 3}).json()
    rest = api.get(url, {"limit": 3, "after": first["next"]}).json()

    assert [event["seq"] for event in first["results"] + rest["results"]] == [1, 2, 3, 4, 5]
    assert first["results"][0]["payload"] == {"content": "hello"}


def test_events_are_taken_in_the_logs_own_words(api, url):
    event = {
        "type": "CoreJobStart",
        "lane": "core",
        "payload": {"content": "go"},
        "occurred_at": "2026-05-08T09:30:00Z",
    }

    api.post(url, {"events": [event]}, format="json")

    assert Event.objects.get().lane == "core"


@pytest.mark.parametrize("place", [0, 49, 99])
def test_one_bad_item_stores_nothing_of_its_batch(api, url, place):
    batch: list[dict[str, object]] = [dict(GOOD) for _ in range(100)]
    batch[place] = {"role": "user", "content": 7}

    answer = api.post(url, {"messages": batch}, format="json")

    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid"
    assert not Event.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": [GOOD] * 101},
        {"messages": [GOOD], "events": []},
        {"messages": [{"role": "user", "content": "x" * 262_145}]},
        {"messages": [GOOD | {"occurred_at": "1066-10-14T00:00:00Z"}]},
        {"messages": [GOOD | {"occurred_at": "2999-01-01T00:00:00Z"}]},
        {"events": [{"type": "Rumour", "payload": {"content": "x"}}]},
        {"events": [{"type": "UserMsg", "payload": {}}]},
    ],
)
def test_it_refuses_what_it_could_not_keep(api, url, body):
    answer = api.post(url, body, format="json")

    assert answer.status_code == 422
    assert answer.json()["hint"]
    assert not Event.objects.exists()


def test_an_ended_session_takes_no_more(api, url):
    api.post(url.replace("/events", "/end"), {}, format="json")

    answer = api.post(url, {"messages": [GOOD]}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (409, "session_closed")


def test_a_repeated_key_returns_what_the_first_stored(api, url):
    headers = {"Idempotency-Key": "one"}
    first = api.post(url, {"messages": [GOOD]}, format="json", headers=headers)

    second = api.post(url, {"messages": [GOOD]}, format="json", headers=headers)

    assert second.status_code == 200
    assert second.json() == first.json()
    assert Event.objects.count() == 1


def test_a_key_belongs_to_one_request(api, url):
    headers = {"Idempotency-Key": "one"}
    api.post(url, {"messages": [GOOD]}, format="json", headers=headers)

    other = {"messages": [{"role": "user", "content": "other"}]}
    answer = api.post(url, other, format="json", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_conflict")


def test_another_agent_s_keys_are_its_own(api, url, rival, rival_api):
    headers = {"Idempotency-Key": "one"}
    api.post(url, {"messages": [GOOD]}, format="json", headers=headers)
    theirs = f"/api/v1/sessions/{make_session(rival).pk}/events"

    answer = rival_api.post(theirs, {"messages": [GOOD]}, format="json", headers=headers)

    assert answer.status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "ünsichtbar"])
def test_a_key_is_1_to_255_visible_characters(api, url, key):
    answer = api.post(url, {"messages": [GOOD]}, format="json", HTTP_IDEMPOTENCY_KEY=key)

    assert answer.status_code == 422


@pytest.mark.django_db(transaction=True)
def test_twins_at_once_store_one_event():
    porter = make_agent()
    url = f"/api/v1/sessions/{make_session(porter).pk}/events"
    clients = [client_of(porter) for _ in range(16)]
    codes: list[int] = []

    def send(client) -> None:
        try:
            headers = {"Idempotency-Key": "same"}
            answer = client.post(url, {"messages": [GOOD]}, format="json", headers=headers)
            codes.append(answer.status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(codes) == [200] * 15 + [201]
    assert Event.objects.count() == 1

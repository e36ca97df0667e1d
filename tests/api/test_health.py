import json

import pytest

from consolidation.jobs import heartbeat
from tests.factories import make_ended_session


def test_a_living_process_says_so_without_a_database(client):
    assert client.get("/health/live").json() == {"status": "live"}


@pytest.mark.django_db
def test_it_is_ready_once_a_worker_was_heard_of(client):
    before = client.get("/health/ready")
    heartbeat.beat()

    after = client.get("/health/ready")

    assert before.status_code == 503
    assert before.json()["checks"]["workers"] is False
    assert (after.status_code, after.json()["status"]) == (200, "ready")


def test_metrics_count_the_work_and_name_nobody(client, porter):
    make_ended_session(porter, ["the secret trout"])

    text = client.get("/metrics").content.decode()

    assert "recollect_events 1.0" in text
    assert "recollect_embedding_backlog 0.0" in text
    assert "alice" not in text
    assert "trout" not in text


@pytest.mark.django_db
def test_an_unknown_address_of_the_api_is_a_problem(client):
    answer = client.get("/api/v1/nothing")

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["code"] == "not_found"
    assert b"There is no such page" in client.get("/nothing").content


def test_a_name_it_does_not_answer_to_is_said(client):
    answer = client.get("/health/ready", headers={"host": "memory.example"})

    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_host")
    assert "RECOLLECT_HOSTS" in answer.json()["hint"]

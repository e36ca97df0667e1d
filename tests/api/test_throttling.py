import pytest


@pytest.fixture
def slow(settings):
    settings.REQUESTS_PER_SECOND = 1


def test_a_key_that_asks_too_often_is_told_when_to_come_back(api, slow):
    answers = [api.get("/api/v1/sessions") for _ in range(8)]

    assert [answer.status_code for answer in answers[:5]] == [200] * 5
    refused = answers[-1]
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert refused["Retry-After"] == "1"
    assert "Retry-After" in refused.json()["hint"]


def test_other_keys_go_on(api, rival_api, slow):
    for _ in range(8):
        api.get("/api/v1/sessions")

    assert rival_api.get("/api/v1/sessions").status_code == 200


def test_nothing_is_counted_where_there_is_no_limit(api, settings):
    settings.REQUESTS_PER_SECOND = 0

    assert {api.get("/api/v1/sessions").status_code for _ in range(12)} == {200}


def test_what_asks_for_no_key_is_not_counted(client, db, slow):
    assert {client.get("/api/v1/schema").status_code for _ in range(8)} == {200}

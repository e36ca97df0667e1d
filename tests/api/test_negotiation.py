import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/json", "application/*", "text/html, */*;q=0.1"]
)
def test_whoever_takes_json_gets_json(api, accept):
    headers = {"Accept": accept} if accept else {}

    answer = api.get("/api/v1/sessions", headers=headers)

    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"


@pytest.mark.parametrize("accept", ["text/html", "image/png, text/*"])
def test_whoever_takes_no_json_is_refused(api, accept):
    answer = api.get("/api/v1/sessions", headers={"Accept": accept})

    assert answer.status_code == 406
    assert answer.json()["code"] == "not_acceptable"

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Agent, ApiKey
from audit.models import AuditEntry

URL = "/api/v1/agents"


def test_an_operator_creates_configures_and_keys_an_agent(operator_api, db):
    skills = [{"name": "baking", "description": "bakes bread"}]
    made = operator_api.post(URL, {"slug": "baker", "skills": skills}, format="json")
    changed = operator_api.patch(f"{URL}/baker", {"soul": "warm"}, format="json")
    issued = operator_api.post(f"{URL}/baker/keys", {"expires_in_days": 3}, format="json")

    assert (made.status_code, changed.status_code, issued.status_code) == (201, 200, 201)
    assert operator_api.get(f"{URL}/baker").json()["soul"] == "warm"
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issued.json()['key']}")
    assert client.get("/api/v1/sessions").status_code == 200
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {
        "agent.create",
        "agent.configure",
        "key.issue",
    }


def test_an_agent_is_shared_until_it_is_told_not_to_be(operator_api, porter):
    before = operator_api.get(f"{URL}/porter").json()
    changed = operator_api.patch(f"{URL}/porter", {"is_shared": False}, format="json").json()
    refused = operator_api.patch(f"{URL}/porter", {"is_shared": "no"}, format="json")

    assert (before["is_shared"], changed["is_shared"]) == (True, False)
    assert refused.status_code == 422


def test_an_agent_learns_until_it_is_told_not_to(operator_api, porter):
    before = operator_api.get(f"{URL}/porter").json()
    changed = operator_api.patch(f"{URL}/porter", {"learns": False}, format="json").json()

    assert (before["learns"], changed["learns"]) == (True, False)


def test_a_slug_is_taken_once(operator_api, porter):
    answer = operator_api.post(URL, {"slug": "porter"}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (409, "agent_exists")


def test_a_slug_that_no_schema_could_have_is_refused(operator_api):
    for slug in ("Porter", "1st", "a-b", "x" * 42, "a\n"):
        assert operator_api.post(URL, {"slug": slug}, format="json").status_code == 422


def test_an_agent_may_not_create_agents(api):
    answer = api.post(URL, {"slug": "baker"}, format="json")

    assert answer.status_code == 403
    assert not Agent.objects.filter(slug="baker").exists()


def test_an_operator_s_key_is_no_agent_s(operator_api):
    assert operator_api.get("/api/v1/sessions").status_code == 403


def test_another_organization_s_agent_is_not_there(operator_api, rival):
    assert operator_api.get(f"{URL}/rival").status_code == 404
    assert operator_api.patch(f"{URL}/rival", {}, format="json").status_code == 404


def test_a_key_ends_when_revoked_or_expired(api, porter):
    past = timezone.now() - timedelta(seconds=1)
    for end in ({"revoked_at": past}, {"expires_at": past, "revoked_at": None}):
        ApiKey.objects.update(**end)

        assert api.get("/api/v1/sessions").status_code == 401


def test_no_key_can_be_told_from_the_database(api):
    (key,) = ApiKey.objects.all()
    secret = api._credentials["HTTP_AUTHORIZATION"].split("_", 2)[2]

    assert len(secret) > 20
    assert secret not in str(vars(key))
    assert len(bytes(key.digest)) == 64


def test_a_new_agent_learns_as_an_assistant_does_and_may_be_told_otherwise(operator_api):
    made = operator_api.post(URL, {"slug": "butler"}, format="json").json()
    wanted = {"learning_policy": "counselling", "time_zone": "Europe/Berlin"}
    changed = operator_api.patch(f"{URL}/butler", wanted, format="json").json()

    assert (made["learning_policy"], made["time_zone"]) == ("assistant", "UTC")
    assert {name: changed[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    "wrong", [{"learning_policy": "therapy"}, {"time_zone": "Atlantis"}, {"time_zone": "../etc"}]
)
def test_a_policy_or_a_zone_that_there_is_not_is_refused(operator_api, porter, wrong):
    assert operator_api.patch(f"{URL}/porter", wrong, format="json").status_code == 422

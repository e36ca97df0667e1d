import pytest

from accounts.models import Organization
from api.v1.agents import TEXT_CHARACTERS
from audit.models import AuditEntry
from tests.factories import make_agent, make_session

URL = "/api/v1/organization"


def test_an_operator_reads_and_changes_it(operator_api):
    changed = operator_api.patch(URL, {"user_text": "The users are bakers."}, format="json")

    shown = operator_api.get(URL).json()
    assert changed.status_code == 200
    assert changed.json() == shown
    assert (shown["slug"], shown["name"]) == ("home", "Home")
    assert shown["user_text"] == "The users are bakers."


def test_the_text_is_in_the_edge_prompt_of_every_agent(operator_api, api, porter):
    operator_api.patch(URL, {"user_text": "The users are bakers."}, format="json")

    prompt = api.post(f"/api/v1/sessions/{make_session(porter).pk}/context", {}, format="json")

    assert "The users are bakers." in [m["content"] for m in prompt.json()["messages"]]
    assert make_agent("second").organization.user_text == "The users are bakers."


def test_a_change_is_recorded_without_its_words(operator_api):
    operator_api.patch(URL, {"user_text": "The users are bakers."}, format="json")

    entry = AuditEntry.objects.get(action="organization.configure")
    assert (entry.subject, entry.detail) == ("home", {"fields": "user_text"})


def test_what_is_not_given_stays(operator_api):
    operator_api.patch(URL, {"user_text": "The users are bakers."}, format="json")

    operator_api.patch(URL, {"name": "House"}, format="json")

    organization = Organization.objects.get(slug="home")
    assert (organization.name, organization.user_text) == ("House", "The users are bakers.")


def test_only_the_key_s_own_organization_is_changed(operator_api, rival):
    refused = operator_api.patch(URL, {"name": "House", "slug": "elsewhere"}, format="json")
    assert refused.status_code == 422
    operator_api.patch(URL, {"name": "House"}, format="json")

    assert Organization.objects.get(pk=rival.organization_id).name == "Elsewhere"
    assert Organization.objects.filter(slug="home", name="House").exists()


@pytest.mark.parametrize("method", ["get", "patch"])
def test_an_agent_s_key_may_not(api, method):
    assert getattr(api, method)(URL, {}, format="json").status_code == 403


@pytest.mark.parametrize(
    "fields",
    [
        {"user_text": "x" * (TEXT_CHARACTERS + 1)},
        {"user_text": 7},
        {"user_text": None},
        {"name": ""},
        {"name": "x" * 201},
    ],
)
def test_what_does_not_fit_is_refused(operator_api, fields):
    answer = operator_api.patch(URL, fields, format="json")

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert Organization.objects.get(slug="home").name == "Home"

import pytest

from audit.models import AuditEntry
from knowledge.models import ApprovalPolicy
from tests.factories import make_agent
from tests.knowledge.learned import owner_of

URL = "/api/v1/agents/porter/approval"
LOSS = {"category": "loss", "mode": "approved", "least_confidence": "high"}
RULE = {"category": "rule", "mode": "above", "least_confidence": "medium"}


def test_policies_are_replaced_as_a_whole(operator_api):
    first = operator_api.put(URL, {"policies": [RULE, LOSS]}, format="json")
    assert (first.status_code, first.json()) == (200, {"user": None, "policies": [LOSS, RULE]})

    operator_api.put(URL, {"policies": [RULE]}, format="json")

    assert operator_api.get(URL).json() == {"user": None, "policies": [RULE]}
    assert AuditEntry.objects.filter(action="approval.set").count() == 2


def test_a_user_has_policies_of_their_own(operator_api, porter):
    owner_of(porter)
    operator_api.put(URL, {"policies": [LOSS]}, format="json")

    answer = operator_api.put(URL, {"user": "alice", "policies": [RULE]}, format="json")

    assert answer.json() == {"user": "alice", "policies": [RULE]}
    assert operator_api.get(f"{URL}?user=alice").json()["policies"] == [RULE]
    assert operator_api.get(URL).json()["policies"] == [LOSS]
    assert operator_api.get(f"{URL}?user=bob").status_code == 404


def test_a_user_of_the_address_does_not_set_everybody_s_policies(operator_api, porter):
    owner_of(porter)

    answer = operator_api.put(f"{URL}?user=alice", {"policies": [LOSS]}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert not ApprovalPolicy.objects.exists()


@pytest.mark.parametrize(
    "policies",
    [
        [{**LOSS, "category": "gossip"}],
        [{**LOSS, "mode": "sometimes"}],
        [{**LOSS, "least_confidence": "total"}],
        [LOSS, LOSS],
        [{"mode": "never"}],
        "loss",
        None,
    ],
)
def test_what_is_no_policy_is_refused(operator_api, porter, policies):
    answer = operator_api.put(URL, {"policies": policies}, format="json")

    assert answer.status_code == 422
    assert not ApprovalPolicy.objects.exists()


def test_only_an_operator_of_the_organization_decides(api, operator_api, rival):
    make_agent("baker", organization=rival.organization)

    assert api.put(URL, {"policies": []}, format="json").status_code == 403
    other = "/api/v1/agents/baker/approval"
    assert operator_api.get(other).status_code == 404
    assert operator_api.put(other, {"policies": [LOSS]}, format="json").status_code == 404

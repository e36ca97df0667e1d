import re

from accounts.keys import find_key, issue_key
from accounts.models import ApiKey
from audit.models import AuditEntry
from tests.admin.addresses import address


def test_a_key_is_shown_once_when_it_is_issued(desk, porter):
    form = {"organization": porter.organization_id, "agent": porter.pk, "name": "laptop"}

    page = desk.post(address(ApiKey, "add"), form, follow=True).content.decode()

    found = re.search(r"rk_[0-9a-f]{12}_[\w-]+", page)
    assert found
    key = find_key(found[0])
    assert key is not None
    assert (key.agent, key.name, key.scopes) == (porter, "laptop", ["agent"])
    assert f"rk_{key.prefix}" not in desk.get(address(ApiKey, "changelist")).content.decode()
    assert "digest" not in desk.get(address(ApiKey, "change", key.pk)).content.decode().lower()


def test_a_key_without_an_agent_is_an_operators(desk, porter):
    form = {"organization": porter.organization_id, "name": "console"}

    desk.post(address(ApiKey, "add"), form)

    assert ApiKey.objects.get().scopes == ["operator"]


def test_a_key_is_not_issued_for_an_agent_of_another_organization(desk, porter, rival):
    form = {"organization": porter.organization_id, "agent": rival.pk, "name": "mixed"}

    page = desk.post(address(ApiKey, "add"), form).content.decode()

    assert "belongs to another organization" in page
    assert not ApiKey.objects.exists()


def test_selected_keys_are_revoked_and_this_is_recorded(desk, porter):
    issued = issue_key(organization=porter.organization, agent=porter, actor="test")
    form = {"action": "revoke", "_selected_action": [issued.row.pk]}

    desk.post(address(ApiKey, "changelist"), form)

    assert find_key(issued.text) is None
    assert AuditEntry.objects.filter(action="key.revoke", subject=issued.row.prefix).exists()

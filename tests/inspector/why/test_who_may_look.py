import pytest
from django.urls import reverse

from audit.models import AuditEntry

PAGES = ("console-session", "console-session-prompt", "console-session-receipts")


def addresses(talk, receipt) -> list[str]:
    one = reverse("console-receipt", args=[receipt.pk])
    return [*(reverse(name, args=[talk.pk]) for name in PAGES), one, f"{one}?replay=yes"]


def test_staff_of_another_organization_find_nothing(clerk, talk, receipt):
    for address in addresses(talk, receipt):
        assert clerk.get(address).status_code == 404, address

    assert "bakery plan" not in clerk.get(reverse("console-sessions")).content.decode()
    assert "my boss" not in clerk.get(reverse("console-receipts")).content.decode().lower()


@pytest.mark.parametrize("times", [1, 3])
def test_each_look_is_noted_once_an_hour(desk, talk, receipt, times):
    for _ in range(times):
        for address in addresses(talk, receipt):
            desk.get(address)

    looks = AuditEntry.objects.filter(action="memory.view", subject__startswith=f"{talk.owner_id}:")
    assert sorted(look.subject.partition(":")[2] for look in looks) == [
        "prompt",
        "receipt",
        "receipts",
        "session",
    ]

import pytest
from django.contrib.auth.models import Permission

from audit.models import AuditEntry
from knowledge.changes.apply import edit_item
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.models import ChangeItem, Changeset, Fact
from tests.admin.addresses import address
from tests.knowledge.learned import added, changed, fact_fields, owner_of, replaced


@pytest.fixture
def owner(porter):
    return owner_of(porter)


def act(client, name: str, *rows) -> str:
    form = {"action": name, "_selected_action": [row.pk for row in rows]}
    return client.post(address(type(rows[0]), "changelist"), form, follow=True).content.decode()


def wait(owner) -> list[ChangeItem]:
    """Return the two changes of a replacement that waits."""
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)
    policies = [NewPolicy("context", "approved")]
    set_policies(agent=owner.agent, owner=None, policies=policies, actor="test")
    return list(changed(owner, new, replaced(old.target, new.target)).items.order_by("place"))


def test_selected_runs_are_taken_back_newest_first_and_recorded(desk, owner):
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    runs = [changed(owner, old), changed(owner, new, replaced(old.target, new.target))]

    act(desk, "revert", *runs)

    assert not Fact.objects.exists()
    recorded = AuditEntry.objects.filter(action="changeset.revert", actor="operator")
    assert recorded.count() == 2


def test_a_run_that_cannot_be_taken_back_is_left_and_the_reason_shown(desk, owner):
    one = added()
    made = changed(owner, one)
    edit_item(owner=owner, kind="fact", target=one.target, fields={"object": "Nice"}, actor="a")

    page = act(desk, "revert", made)

    assert "has changed" in page
    assert Fact.objects.get().object == "Nice"


@pytest.mark.parametrize(("name", "object"), [("approve", "Paris"), ("reject", "Lyon")])
def test_what_waits_is_decided_as_a_whole_and_recorded_once(desk, owner, name, object):
    act(desk, name, *wait(owner))

    assert Fact.objects.active().get().object == object
    assert not ChangeItem.objects.filter(state="waiting").exists()
    assert AuditEntry.objects.filter(action=f"change.{name}", actor="operator").count() == 1


def test_what_is_overtaken_waits_on_and_the_reason_is_shown(desk, owner):
    items = wait(owner)
    other = added(fields=fact_fields("Nice", "I moved to Nice."))
    old = items[1].target
    changed(owner, other, replaced(old, other.target), origin="person")

    page = act(desk, "approve", items[0])

    assert "counts no more" in page
    assert ChangeItem.objects.filter(state="waiting").count() == 2


def test_who_may_only_look_decides_and_reverts_nothing(client, owner, watcher):
    looks = Permission.objects.filter(codename__in=("view_changeset", "view_changeitem"))
    watcher.user_permissions.add(*looks)
    client.force_login(watcher)
    items = wait(owner)

    for name, row in (("revert", items[0].changeset), ("approve", items[0]), ("reject", items[0])):
        act(client, name, row)

    assert not Changeset.objects.filter(origin="revert").exists()
    assert ChangeItem.objects.filter(state="waiting").count() == 2

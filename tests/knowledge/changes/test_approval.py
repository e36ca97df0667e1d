"""Changes that wait for a person, and what becomes of them."""

import pytest

from audit.models import AuditEntry
from knowledge.changes.apply import decide_item, delete_item, revert_changeset
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.errors import ChangeNotWaiting, ItemChanged
from knowledge.models import ApprovalPolicy, ChangeItem, Fact, Rule
from tests.knowledge.learned import (
    added,
    change,
    changed,
    fact_fields,
    owner_of,
    replaced,
    rule_fields,
    state_of,
)


@pytest.fixture
def owner(porter):
    return owner_of(porter)


def policy(owner, mode: str, category: str = "context", least: str = "high", *, of_owner=True):
    whose = owner if of_owner else None
    set_policies(
        agent=owner.agent,
        owner=whose,
        policies=[NewPolicy(category, mode, least)],
        actor="test",
    )


def states(made) -> list[str]:
    return list(made.items.order_by("place").values_list("state", flat=True))


def four_replaced(owner):
    """Return a run that replaces four facts, one more than is taken at once."""
    old = [added(fields=fact_fields(f"town {n}", f"I live in town {n}.")) for n in range(4)]
    changed(owner, *old)
    run = []
    for number, one in enumerate(old):
        new = added(fields=fact_fields(f"city {number}", f"I moved to city {number}."))
        run += [new, replaced(one.target, new.target)]
    return changed(owner, *run)


def test_without_a_policy_all_is_taken_at_once(owner):
    assert states(changed(owner, added(), added("rule"))) == ["applied", "applied"]


@pytest.mark.parametrize(
    ("mode", "confidence", "state"),
    [
        ("automatic", "low", "applied"),
        ("above", "low", "waiting"),
        ("above", "medium", "applied"),
        ("above", "high", "applied"),
        ("above", "", "waiting"),
        ("approved", "high", "waiting"),
        ("never", "high", "rejected"),
    ],
)
def test_the_policy_of_a_category_decides(owner, mode, confidence, state):
    policy(owner, mode, least="medium")

    made = changed(owner, added(confidence=confidence))

    assert states(made) == [state]
    assert Fact.objects.exists() == (state == "applied")


def test_a_policy_is_of_its_category_alone(owner):
    policy(owner, "approved", "rule")

    assert states(changed(owner, added(), added("rule"))) == ["applied", "waiting"]


def test_an_owners_own_policy_goes_before_the_agents(owner, porter):
    policy(owner, "never", of_owner=False)
    policy(owner, "automatic")

    assert states(changed(owner, added())) == ["applied"]
    assert states(changed(owner_of(porter, "bob"), added())) == ["rejected"]


def test_what_a_person_does_waits_for_nobody(owner):
    policy(owner, "never")

    assert states(changed(owner, added(), origin="person")) == ["applied"]
    assert states(changed(owner, added(), origin="agent")) == ["rejected"]


def test_a_bump_is_taken_under_any_policy(owner):
    one = added()
    changed(owner, one)
    policy(owner, "approved")

    assert states(changed(owner, change("fact", "bump", one.target))) == ["applied"]


def test_what_is_never_taken_leaves_no_words(owner):
    policy(owner, "never")

    item = changed(owner, added()).items.get()

    assert (item.code, item.after, item.quote, item.reason) == ("approval.never", None, "", "")


def test_a_replacement_waits_as_a_whole(owner):
    old = added()
    changed(owner, old)
    policy(owner, "approved")
    new = added(fields=fact_fields("Paris", "I moved to Paris."))

    made = changed(owner, new, replaced(old.target, new.target), added("rule"))

    assert states(made) == ["waiting", "waiting", "applied"]
    assert Fact.objects.active().get().pk == old.target


def test_more_than_three_retirements_of_one_run_wait(owner):
    made = four_replaced(owner)

    assert set(states(made)) == {"waiting"}
    assert Fact.objects.active().filter(object__startswith="town").count() == 4


def test_three_retirements_do_not_wait(owner):
    old = [added(fields=fact_fields(f"town {n}", f"I live in town {n}.")) for n in range(3)]
    changed(owner, *old)
    new = added(fields=fact_fields("Paris", "I moved to Paris."))

    made = changed(owner, new, *[replaced(one.target, new.target) for one in old])

    assert set(states(made)) == {"applied"}
    assert Fact.objects.active().get().object == "Paris"


def test_approving_one_takes_its_whole_replacement_and_no_other(owner):
    made = four_replaced(owner)

    decide_item(item=made.items.get(place=1), approve=True, actor="bob")

    assert states(made) == ["applied"] * 2 + ["waiting"] * 6
    assert set(made.items.filter(state="applied").values_list("decided_by", flat=True)) == {"bob"}
    assert not Fact.objects.active().filter(object="town 0").exists()
    assert Fact.objects.active().filter(object="city 0").exists()


def test_rejecting_changes_nothing_but_the_state(owner):
    made = four_replaced(owner)
    before = state_of(owner)

    decide_item(item=made.items.get(place=0), approve=False, actor="bob")

    assert states(made)[:3] == ["rejected", "rejected", "waiting"]
    assert state_of(owner) == before


@pytest.mark.parametrize("approve", [True, False])
def test_a_change_is_decided_once(owner, approve):
    policy(owner, "approved")
    item = changed(owner, added()).items.get()
    decide_item(item=item, approve=approve, actor="bob")

    with pytest.raises(ChangeNotWaiting):
        decide_item(item=item, approve=True, actor="bob")

    assert Fact.objects.count() == approve


def test_a_replacement_of_what_counts_no_more_cannot_be_approved(owner):
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)
    policy(owner, "approved")
    made = changed(owner, new, replaced(old.target, new.target))
    other = added(fields=fact_fields("Nice", "I moved to Nice."))
    changed(owner, other, replaced(old.target, other.target), origin="person")

    with pytest.raises(ItemChanged):
        decide_item(item=made.items.get(place=0), approve=True, actor="bob")

    assert states(made) == ["waiting", "waiting"]
    assert Fact.objects.active().get().object == "Nice"


def test_what_takes_the_place_of_something_deleted_may_still_be_approved(owner):
    old, new = added(), added(fields=fact_fields("Paris", "I moved to Paris."))
    changed(owner, old)
    policy(owner, "approved")
    made = changed(owner, new, replaced(old.target, new.target))
    delete_item(owner=owner, kind="fact", target=old.target, actor="alice")

    decide_item(item=made.items.get(place=0), approve=True, actor="bob")

    assert states(made) == ["applied", "rejected"]
    assert Fact.objects.active().get().object == "Paris"


def test_an_approved_rule_keeps_to_the_cap(owner):
    changed(owner, *[added("rule", rule_fields(f"You do {n}.")) for n in range(20)])
    policy(owner, "approved", "rule")
    made = changed(owner, added("rule", rule_fields("You do more.")))

    decide_item(item=made.items.get(), approve=True, actor="bob")

    assert Rule.objects.active().count() == 20
    assert Rule.objects.active().filter(text="You do more.").exists()


def test_what_waits_in_a_reverted_run_is_asked_no_more(owner):
    made = four_replaced(owner)

    revert_changeset(changeset=made, actor="bob")

    with pytest.raises(ChangeNotWaiting):
        decide_item(item=made.items.get(place=0), approve=True, actor="bob")
    assert not ChangeItem.objects.filter(state="waiting").exists()


def test_policies_are_replaced_as_a_whole_and_recorded(owner):
    policy(owner, "never", "loss")
    policy(owner, "approved", "goal")

    assert ApprovalPolicy.objects.get().category == "goal"
    entry = AuditEntry.objects.filter(action="approval.set").order_by("-pk").first()
    assert entry.detail == {"goal": "approved", "owner": owner.pk}

"""Several people who decide and revert at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.errors import Fault
from knowledge.changes.apply import decide_item, delete_item, edit_item, revert_changeset
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.models import ApprovalPolicy, Changeset, Fact
from tests.factories import make_agent
from tests.knowledge.learned import added, changed, owner_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner():
    return owner_of(make_agent("porter"))


def together(*acts: Callable[[], object]) -> list[object]:
    """Run all at once, each on a connection of its own; the code of a Fault is its result."""

    def run(act: Callable[[], object]) -> object:
        try:
            return act()
        except Fault as fault:
            return fault.code
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def policy(owner, mode: str) -> None:
    policies = [NewPolicy("context", mode), NewPolicy("rule", mode)]
    set_policies(agent=owner.agent, owner=None, policies=policies, actor="test")


def test_of_several_decisions_one_counts(owner):
    policy(owner, "approved")
    item = changed(owner, added()).items.get()

    results = together(*[lambda: decide_item(item=item, approve=True, actor="bob")] * 4)

    assert results.count("change_not_waiting") == 3
    assert Fact.objects.count() == 1


def test_several_reversals_are_one(owner):
    made = changed(owner, added())

    results = together(*[lambda: revert_changeset(changeset=made, actor="bob")] * 4)

    assert len(set(results)) == 1
    assert Changeset.objects.count() == 2
    assert not Fact.objects.exists()


def test_of_several_edits_of_one_version_one_counts(owner):
    one = added()
    changed(owner, one)

    def edit(town: str) -> object:
        fields = {"object": town}
        return edit_item(
            owner=owner, kind="fact", target=one.target, fields=fields, actor="alice", version=1
        )

    results = together(*[lambda town=town: edit(town) for town in ("Nice", "Metz", "Brest")])

    assert results.count("item_changed") == 2
    assert Fact.objects.get().version == 2


def test_a_deletion_beside_the_same_words_leaves_nothing(owner):
    one = added()
    changed(owner, one)

    together(
        lambda: delete_item(owner=owner, kind="fact", target=one.target, actor="alice"),
        *[lambda: revert_changeset(changeset=changed(owner, added()), actor="bob")] * 3,
    )
    changed(owner, added())

    assert not Fact.objects.exists()


def test_policies_that_are_set_at_once_do_not_mix(owner):
    together(*[lambda mode=mode: policy(owner, mode) for mode in ("never", "above", "approved")])

    assert len(set(ApprovalPolicy.objects.values_list("mode", flat=True))) == 1
    assert ApprovalPolicy.objects.count() == 2

import pytest

from knowledge.changes.apply import delete_item, edit_item, revert_changeset
from knowledge.errors import ChangesetFinal, ChangesetOvertaken
from knowledge.models import Arc, Changeset, Fact, ProceduralProfile, Rule
from memory.spaces import current_for
from tests.factories import make_session
from tests.knowledge.learned import (
    added,
    arc_fields,
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


def paris():
    return added(fields=fact_fields("Paris", "I moved to Paris."))


def test_a_run_is_taken_back_byte_for_byte(owner, porter):
    old, bumped = added(), added(fields=fact_fields("tea", "I drink tea."))
    rules = [added("rule", rule_fields(f"You do {n}.")) for n in range(20)]
    changed(owner, old, bumped, *rules)
    before = state_of(owner)
    new, session = paris(), make_session(porter)
    made = changed(
        owner,
        new,
        replaced(old.target, new.target),
        change("fact", "bump", bumped.target),
        added("rule", rule_fields("You do more.")),
        added("arc", arc_fields(session.pk)),
    )
    assert state_of(owner) != before

    undo = revert_changeset(changeset=made, actor="bob")

    assert state_of(owner) == before
    made.refresh_from_db()
    assert made.reverted_at
    assert (undo.origin, undo.actor, undo.reverts) == ("revert", "bob", made)
    assert set(made.items.values_list("state", flat=True)) == {"reverted"}


def test_reverting_twice_reverts_once(owner):
    made = changed(owner, added())

    first = revert_changeset(changeset=made, actor="bob")
    again = revert_changeset(changeset=made, actor="bob")

    assert again == first
    assert Changeset.objects.count() == 2
    assert not Fact.objects.exists()


def test_what_was_edited_since_is_not_taken_back(owner):
    one = added()
    made = changed(owner, one)
    edit_item(owner=owner, kind="fact", target=one.target, fields={"object": "Nice"}, actor="alice")
    before = state_of(owner)

    with pytest.raises(ChangesetOvertaken) as caught:
        revert_changeset(changeset=made, actor="bob")

    assert caught.value.detail == {"item": 0, "kind": "fact"}
    assert state_of(owner) == before


def test_runs_are_taken_back_in_any_order(owner):
    old, new = added(), paris()
    first = changed(owner, old)
    second = changed(owner, new, replaced(old.target, new.target))

    revert_changeset(changeset=first, actor="bob")
    assert Fact.objects.get().pk == new.target
    revert_changeset(changeset=second, actor="bob")

    assert not Fact.objects.exists()


def test_a_replacement_that_was_replaced_since_is_not_taken_back(owner):
    """Else the oldest would count again, beside the newest."""
    lyon, nice = added(), added(fields=fact_fields("Nice", "I moved to Nice."))
    second = paris()
    changed(owner, lyon)
    made = changed(owner, second, replaced(lyon.target, second.target))
    later = changed(owner, nice, replaced(second.target, nice.target))

    with pytest.raises(ChangesetOvertaken):
        revert_changeset(changeset=made, actor="bob")

    assert Fact.objects.active().get().pk == nice.target
    for one in (later, made):
        revert_changeset(changeset=one, actor="bob")
    assert Fact.objects.active().get().pk == lyon.target


def test_a_later_bump_stays_when_an_earlier_one_is_taken_back(owner):
    one = added()
    changed(owner, one)
    first = changed(owner, change("fact", "bump", one.target))
    changed(owner, change("fact", "bump", one.target))
    before = state_of(owner)

    revert_changeset(changeset=first, actor="bob")

    assert state_of(owner) == before


def test_an_edit_is_taken_back_under_a_new_version(owner):
    one = added()
    changed(owner, one)
    made = edit_item(
        owner=owner, kind="fact", target=one.target, fields={"object": "Nice"}, actor="alice"
    )
    space = current_for(model="m", version="1", dimension=3)
    Fact.objects.update(embedding=[1, 0, 0], space=space)

    revert_changeset(changeset=made, actor="alice")

    fact = Fact.objects.get()
    # Whoever saw version 2 has not seen this.
    assert (fact.object, fact.version) == ("Lyon", 3)
    assert fact.embedding is None


def test_the_recall_toggle_is_taken_back(owner):
    made = edit_item(
        owner=owner,
        kind="profile",
        target=None,
        fields={"proactive_recall_enabled": True},
        actor="alice",
    )
    assert ProceduralProfile.objects.get().proactive_recall_enabled

    revert_changeset(changeset=made, actor="alice")

    assert not ProceduralProfile.objects.get().proactive_recall_enabled


def test_a_deletion_is_never_taken_back(owner):
    one = added()
    changed(owner, one)
    made = delete_item(owner=owner, kind="fact", target=one.target, actor="alice")

    with pytest.raises(ChangesetFinal):
        revert_changeset(changeset=made, actor="bob")


def test_a_reversal_is_not_reversed(owner):
    undo = revert_changeset(changeset=changed(owner, added()), actor="bob")

    with pytest.raises(ChangesetFinal):
        revert_changeset(changeset=undo, actor="bob")


def test_reverting_brings_back_nothing_that_was_deleted(owner):
    """The same words stood in a fact that was replaced, and in one that a person deleted."""
    old, again = added(), added()
    changed(owner, old)
    new = paris()
    made = changed(owner, new, replaced(old.target, new.target))
    changed(owner, again)
    delete_item(owner=owner, kind="fact", target=again.target, actor="alice")

    undo = revert_changeset(changeset=made, actor="bob")

    assert not Fact.objects.active().exists()
    assert undo.items.filter(code="guard.tombstone", state="rejected").count() == 1


def test_a_run_whose_item_is_deleted_takes_back_the_rest(owner):
    one, two = added(), added("rule")
    made = changed(owner, one, two)
    delete_item(owner=owner, kind="fact", target=one.target, actor="alice")

    revert_changeset(changeset=made, actor="bob")

    assert not Rule.objects.exists()
    assert not Arc.objects.exists()


def test_the_cap_holds_after_a_reversal(owner):
    old = added("rule")
    changed(owner, old)
    made = changed(owner, change("rule", "retire", old.target, {"superseded_by": "mistake"}))
    changed(owner, *[added("rule", rule_fields(f"You do {n}.")) for n in range(20)])

    undo = revert_changeset(changeset=made, actor="bob")

    assert Rule.objects.active().count() == 20
    assert Rule.objects.get(pk=old.target).superseded_by == "eviction"
    assert undo.items.filter(code="rule_cap").count() == 1

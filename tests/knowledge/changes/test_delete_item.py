import pytest

from accounts.ids import new_id
from knowledge.changes.apply import delete_item, edit_item
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.errors import ItemChanged, ItemUnknown
from knowledge.items.tombstones import is_buried
from knowledge.models import Arc, ChangeItem, Changeset, Fact, Rule, Tombstone
from tests.factories import make_session
from tests.knowledge.learned import (
    added,
    arc_fields,
    changed,
    fact_fields,
    owner_of,
    replaced,
    rule_fields,
)


@pytest.fixture
def owner(porter):
    return owner_of(porter)


def delete(owner, target, kind="fact", version=None):
    return delete_item(owner=owner, kind=kind, target=target, actor="alice", version=version)


def kept_words() -> str:
    """Return all that is stored of changes and tombstones, as text."""
    rows = [*ChangeItem.objects.values(), *Changeset.objects.values(), *Tombstone.objects.values()]
    return str([*rows, *Fact.objects.values(), *Rule.objects.values()])


@pytest.mark.requirement("OC-73")
def test_nothing_of_a_deleted_fact_is_left(owner):
    one = added(fields=fact_fields("Lyon", "I live in Lyon, at the river."))
    changed(owner, one)
    edit_item(owner=owner, kind="fact", target=one.target, fields={"object": "Nice"}, actor="alice")

    made = delete(owner, one.target)

    item = made.items.get()
    assert (item.act, item.code, item.decided_by) == ("delete", "person.delete", "alice")
    assert "Lyon" not in kept_words()
    assert "Nice" not in kept_words()


@pytest.mark.requirement("OC-73")
@pytest.mark.parametrize(
    "fields",
    [
        fact_fields(),
        fact_fields("lyon!", "I  LIVE in Lyon"),
        fact_fields("the city of Lyon", "I live in Lyon."),
        fact_fields("Lyon", "My flat is in Lyon."),
    ],
)
def test_what_was_deleted_is_not_added_again(owner, fields):
    one = added()
    changed(owner, one)
    delete(owner, one.target)

    item = changed(owner, added(fields=fields)).items.get()

    assert not Fact.objects.exists()
    assert (item.state, item.code) == ("rejected", "guard.tombstone")
    assert (item.after, item.quote, item.reason) == (None, "", "")


def test_other_words_are_added_as_ever(owner, porter):
    one = added()
    changed(owner, one)
    delete(owner, one.target)

    changed(owner, added(fields=fact_fields("Nice", "I live in Nice.")))
    changed(owner_of(porter, "bob"), added())

    assert Fact.objects.count() == 2


def test_what_an_edited_item_said_before_is_buried_too(owner):
    one = added()
    changed(owner, one)
    edit_item(owner=owner, kind="fact", target=one.target, fields={"object": "Nice"}, actor="alice")
    delete(owner, one.target)

    for object in ("Lyon", "Nice"):
        changed(owner, added(fields=fact_fields(object, "Said otherwise.")))

    assert not Fact.objects.exists()


def test_what_a_buried_fact_would_replace_stays(owner):
    old, gone = added(fields=fact_fields("Nice", "I live in Nice.")), added()
    changed(owner, old, gone)
    delete(owner, gone.target)
    again = added()

    made = changed(owner, again, replaced(old.target, again.target))

    assert Fact.objects.active().get().pk == old.target
    assert set(made.items.values_list("state", flat=True)) == {"rejected"}


def test_what_waits_to_say_the_same_is_rejected_and_emptied(owner):
    one, old = added(), added(fields=fact_fields("Nice", "I live in Nice."))
    changed(owner, one, old)
    policies = [NewPolicy("context", "approved")]
    set_policies(agent=owner.agent, owner=None, policies=policies, actor="test")
    again = added()
    made = changed(owner, again, replaced(old.target, again.target))

    delete(owner, one.target)

    assert set(made.items.values_list("state", "code")) == {("rejected", "guard.tombstone")}
    assert "Lyon" not in str(made.items.values())


def test_a_rule_is_known_again_by_its_text_or_its_evidence(owner):
    one = added("rule", rule_fields(evidence=["From now on answer briefly."]))
    changed(owner, one)
    delete(owner, one.target, "rule")

    changed(owner, added("rule", rule_fields("you answer  BRIEFLY", evidence=["x"])))
    changed(
        owner, added("rule", rule_fields("You are terse.", evidence=["From now on answer briefly"]))
    )

    assert not Rule.objects.exists()


def test_an_arc_is_known_again_by_its_session(owner, porter):
    session = make_session(porter)
    one = added("arc", arc_fields(session.pk))
    changed(owner, one)
    delete(owner, one.target, "arc")

    changed(owner, added("arc", arc_fields(session.pk, summary="Other words.")))

    assert not Arc.objects.exists()


def test_words_of_signs_alone_are_told_apart(owner):
    one = added(fields=fact_fields("🌷", "🌷 🌷"))
    changed(owner, one)
    delete(owner, one.target)

    assert is_buried(owner=owner, kind="fact", fields=fact_fields("🌷", "x"))
    assert not is_buried(owner=owner, kind="fact", fields=fact_fields("🌻", "x"))


def test_digests_are_keyed(owner, settings):
    one = added()
    changed(owner, one)
    delete(owner, one.target)

    settings.PSEUDONYM_KEY = "another"

    assert not is_buried(owner=owner, kind="fact", fields=fact_fields())


def test_a_version_that_is_not_the_last_is_refused(owner):
    one = added()
    changed(owner, one)
    edit_item(owner=owner, kind="fact", target=one.target, fields={"object": "Nice"}, actor="alice")

    with pytest.raises(ItemChanged):
        delete(owner, one.target, version=1)

    assert Fact.objects.exists()
    delete(owner, one.target, version=2)
    assert not Fact.objects.exists()


def test_what_is_not_there_or_not_ones_own_is_unknown(owner, porter):
    one = added()
    changed(owner, one)

    for whose, kind, target in (
        (owner, "fact", new_id()),
        (owner, "rule", one.target),
        (owner, "profile", one.target),
        (owner_of(porter, "bob"), "fact", one.target),
    ):
        with pytest.raises(ItemUnknown):
            delete(whose, target, kind)
    assert Fact.objects.exists()

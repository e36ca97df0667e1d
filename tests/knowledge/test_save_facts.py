"""Facts as key and value."""

from uuid import UUID

import pytest

from accounts.owners import resolve_owner, scope_of
from knowledge.facts import NewFact, save_facts
from knowledge.models import SavedFact

SESSION = UUID("01890a5d-ac96-774b-bcce-b302099a8057")


def save(owner, *facts):
    return save_facts(owner=owner, facts=facts, session=SESSION, source="context_flush")


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def test_a_known_key_gets_the_new_value(alice):
    save(alice, NewFact("town", "Graz", "fact", "ev-1"), NewFact("pet", "a cat", "fact"))
    save(alice, NewFact("town", "Wien", "decision", "ev-2"))

    town = SavedFact.objects.get(key="town")
    assert (town.value, town.category, town.source_event) == ("Wien", "decision", "ev-2")
    assert town.updated_at > town.created_at
    assert SavedFact.objects.count() == 2


def test_of_one_key_twice_the_last_value_stays(alice):
    save(alice, NewFact("town", "Graz", "fact"), NewFact("town", "Wien", "fact"))

    assert SavedFact.objects.get().value == "Wien"


def test_each_owner_has_keys_of_their_own(alice, porter, rival):
    bob = resolve_owner(agent=porter, user="bob")
    save(alice, NewFact("town", "Graz", "fact"))
    save(bob, NewFact("town", "Linz", "fact"))

    mine = SavedFact.objects.within(scope_of(porter, owner=alice.pk))
    assert [fact.value for fact in mine] == ["Graz"]
    assert SavedFact.objects.within(scope_of(porter)).count() == 2
    assert not SavedFact.objects.within(scope_of(rival)).exists()


def test_no_facts_are_no_rows(alice):
    assert save(alice) == []

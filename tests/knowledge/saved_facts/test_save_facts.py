"""Facts as key and value."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import combinations
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.utils import timezone

from accounts.owners import resolve_owner, scope_of
from consolidation.edits.own import forget_saved_fact
from knowledge.errors import FactUnknown
from knowledge.models import FactCategory, SavedFact
from knowledge.saved_facts.categories import Embedded
from knowledge.saved_facts.save import NewFact, change_fact, find_fact, save_facts
from ranking.decay import boost
from tests.recall.concepts import concepts, embedded, space, vector  # noqa: F401 - fixtures

SESSION = UUID("01890a5d-ac96-774b-bcce-b302099a8057")


def save(owner, *facts, source="context_flush", vectors=None):
    return save_facts(
        owner=owner, facts=facts, session=SESSION, source=source, vectors=vectors or {}
    )


def save_near(owner, space, key, value, category="general"):  # noqa: F811
    vectors = {key: embedded(space, f"{key}: {value}")}
    (row,) = save(owner, NewFact(key, value, category), vectors=vectors)
    return row


def numbers(row) -> np.ndarray:
    found = row.embedding
    return np.array(found if isinstance(found, list) else found.to_list())


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


@pytest.mark.requirement("OL-40")
@pytest.mark.requirement("OL-50")
def test_a_known_key_gets_the_new_value_and_keeps_where_it_came_from(alice):
    save(alice, NewFact("town", "Graz", "fact", "ev-1"), NewFact("pet", "a cat", "fact"))
    save(alice, NewFact("town", "Wien", "decision", "ev-2", 0.9), source="tool")

    town = SavedFact.objects.get(key="town")
    assert (town.value, town.category, town.source_event) == ("Wien", "fact", "ev-1")
    assert (town.source, town.confidence) == ("context_flush", 0.9)
    assert town.updated_at > town.created_at
    assert SavedFact.objects.count() == 2


@pytest.mark.requirement("OL-40")
@pytest.mark.requirement("OL-37")
def test_saving_again_raises_the_salience_by_the_days_since(alice):
    save(alice, NewFact("town", "Graz"))
    assert SavedFact.objects.get().decay_score == 1.0
    ago = timezone.now() - timedelta(days=5)
    SavedFact.objects.update(access_count=9, last_accessed_at=ago)

    save(alice, NewFact("town", "Graz"))

    town = SavedFact.objects.get()
    assert town.access_count == 10
    assert town.decay_score == pytest.approx(boost(10, 5), abs=1e-4)
    assert town.last_accessed_at.tzinfo is not None
    assert timezone.now() - town.last_accessed_at < timedelta(minutes=1)


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


NAMES = ("Alice", "Bob", "Carla", "Dmitri", "Eve")
FORMS = (
    "Invoice {n} of {name} is paid",
    "{name} has booked meeting room {n}",
    "{name} is allergic to peanuts since {n}",
    "The flight of {name} goes from Graz to Linz at {n}",
    "{name} manages the team of {n}",
)


def pairs():
    """Yield 200 pairs that a vector takes for one, and whether they are one."""
    for place in range(25):
        name, n, form = NAMES[place % 5], 1_000 + place, FORMS[place // 5]
        text = form.format(name=name, n=n)
        verb = next(word for word in (" is ", " has ", " goes ", " manages ") if word in text)
        yield text, form.format(name=name, n=n + 1), False
        yield text, form.format(name="Frida", n=n), False
        yield text, text.replace(verb, f"{verb}not ", 1), False
        yield text, text.replace(verb, f"{verb}never ", 1), False
        yield text, f"{text} again, as {name} says", False
        yield text, f"{text}.", True
        yield text, text.upper(), True
        yield text, text.replace("the ", "").replace("The ", ""), True


@pytest.mark.requirement("OL-40")
@pytest.mark.requirement("OL-41")
def test_of_two_hundred_near_duplicates_none_is_merged_that_says_something_else(alice, space):  # noqa: F811
    near, right, wrong = embedded(space, "cat"), 0, 0
    every = list(pairs())
    assert len(every) == 200
    for one, other, is_same in every:
        SavedFact.objects.all().delete()
        save(alice, NewFact(one[:60], one), vectors={one[:60]: near})
        save(alice, NewFact(other[:60], other), vectors={other[:60]: near})
        values = set(SavedFact.objects.values_list("value", flat=True))
        right += is_same and len(values) == 1
        wrong += not is_same and values != {one, other}

    assert (right, wrong) == (75, 0)


@pytest.mark.parametrize(
    ("category", "rows"), [("fact", 1), ("general", 1), ("FACT", 1), ("decision", 2)]
)
def test_they_stay_two_in_categories_that_do_not_agree(alice, space, category, rows):  # noqa: F811
    save_near(alice, space, "cat", "cat cat cat", "fact")
    again = save_near(alice, space, "the cat", "Cat cat cat.", category)

    assert SavedFact.objects.count() == rows
    first = SavedFact.objects.order_by("pk")[0]
    assert (first.key, first.value) == ("cat", "cat cat cat")
    assert (again.access_count, again.pk == first.pk) == (2 - rows, rows == 1)


def test_another_key_is_never_overwritten(alice, space):  # noqa: F811
    save_near(alice, space, "cat", "cat cat cat", "fact")
    save_near(alice, space, "kitten", "cat kitten x", "fact")

    assert sorted(SavedFact.objects.values_list("key", "value")) == [
        ("cat", "cat cat cat"),
        ("kitten", "cat kitten x"),
    ]


def test_a_key_that_is_there_is_never_merged_into_another(alice, space):  # noqa: F811
    save_near(alice, space, "dog", "soup", "fact")
    save_near(alice, space, "cat", "cat cat cat", "fact")
    save_near(alice, space, "dog", "cat cat cat", "fact")

    assert sorted(SavedFact.objects.values_list("key", flat=True)) == ["cat", "dog"]


@pytest.mark.requirement("OL-30")
def test_a_fact_joins_the_category_that_is_alike_or_has_its_own(alice, space):  # noqa: F811
    pet = save_near(alice, space, "cat", "cat", "pets")
    near = save_near(alice, space, "kitten", "eats bread", "animals")
    far = save_near(alice, space, "train", "journey", "travel")
    plain = save_near(alice, space, "dog", "barks")

    assert (pet.category, far.category, plain.category) == ("pets", "travel", "general")
    similarity = float(vector("cat: cat") @ vector("kitten: eats bread"))
    assert similarity > 0.7
    assert near.category == "pets"
    assert near.filed_under_id == pet.filed_under_id
    assert FactCategory.objects.count() == 3


def test_a_category_of_its_name_is_a_facts_own_however_far(alice, space):  # noqa: F811
    save_near(alice, space, "cat", "cat", "pets")
    save_near(alice, space, "train", "journey", "travel")

    assert save_near(alice, space, "cat 2", "a train cat", "Travel").category == "travel"


def test_every_tenth_addition_takes_the_mean_anew(alice, space):  # noqa: F811
    # Each of its own direction, or they would become one fact.
    pairs = [np.eye(6)[list(pair)].sum(axis=0) for pair in combinations(range(5), 2)]
    for number, made in enumerate(pairs[:9]):
        found = {f"k{number}": Embedded(made, space)}
        save(alice, NewFact(f"k{number}", "x", "food"), vectors=found)
    kept = FactCategory.objects.get()
    assert kept.additions == 9
    assert numbers(kept) == pytest.approx(pairs[0], abs=1e-2)

    save(alice, NewFact("k9", "x", "food"), vectors={"k9": Embedded(pairs[9], space)})

    category = FactCategory.objects.get()
    assert category.additions == 10
    assert numbers(category) == pytest.approx(np.mean(pairs, axis=0), abs=1e-2)


def test_a_change_waits_for_a_vector_of_its_own(alice, space):  # noqa: F811
    row = save_near(alice, space, "cat", "cat", "pets")

    change_fact(owner=alice, id=row.pk, fields={"value": "a dog"}, actor="test")
    row.refresh_from_db()
    assert (row.value, row.space, row.category) == ("a dog", None, "pets")
    assert row.filed_under is not None

    change_fact(owner=alice, id=row.pk, fields={"category": "dogs"}, actor="test")
    row.refresh_from_db()
    assert (row.category, row.filed_under) == ("dogs", None)


def test_a_deleted_fact_is_gone_and_nobody_elses_is_touched(alice, porter):
    bob = resolve_owner(agent=porter, user="bob")
    (row,) = save(alice, NewFact("town", "Graz"))

    acts: Sequence[Callable[..., object]] = (forget_saved_fact, change_fact)
    for act in acts:
        more = {"fields": {"value": "x"}} if act is change_fact else {}
        with pytest.raises(FactUnknown):
            act(owner=bob, id=row.pk, actor="test", **more)
    assert forget_saved_fact(owner=alice, id=row.pk, actor="test").value == "Graz"
    assert not SavedFact.objects.exists()
    with pytest.raises(FactUnknown):
        find_fact(owner=alice, id=uuid4())

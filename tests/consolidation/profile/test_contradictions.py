"""Which of two values holds, what is kept of both, and how sure a leaf is."""

import pytest

from knowledge.models import Contradiction, ScaffoldEntry
from knowledge.profile.edit import edit_profile
from tests.consolidation.profile.observed import (
    answer,
    narrative,
    observed,
    scaffold,
    synthesise,
)

HOME = "/Places/Home"


def home(place: str) -> dict:
    return answer({"Places": {"Home": place}}, f"The user lives in {place}.")


def lives(owner, place: str, type: str = "fact", source: str = "interactive", days: float = 0):
    return observed(owner, f"The user lives in {place}.", type, source, days=days)


@pytest.mark.requirement("TS-80")
def test_a_fact_that_contradicts_the_profile_is_kept_with_both_sides(alice, asks):
    asks(home("Lyon"), home("Berlin"))
    old = lives(alice, "Lyon")
    synthesise(alice)
    new = lives(alice, "Berlin", days=1)

    synthesise(alice)

    found = Contradiction.objects.get()
    assert (found.path, found.kept, found.lost, found.rule) == (HOME, "Berlin", "Lyon", "newer")
    assert (found.kept_events, found.lost_events) == ([new.pk], [old.pk])
    assert scaffold(alice) == {"Places": {"Home": "Berlin"}}


# Of the value that is known and of the new one: kind, source, day. Then the winner and the rule.
CASES = [
    (("correction", "interactive", 5), ("fact", "interactive", 1), "Lyon", "correction"),
    (("correction", "autonomous", 5), ("fact", "interactive", 5), "Lyon", "correction"),
    (("fact", "interactive", 5), ("correction", "interactive", 6), "Berlin", "correction"),
    (("fact", "interactive", 5), ("correction", "autonomous", 5), "Berlin", "correction"),
    (("fact", "interactive", 5), ("correction", "interactive", 1), "Lyon", "newer"),
    (("correction", "interactive", 1), ("correction", "interactive", 5), "Berlin", "newer"),
    (("fact", "interactive", 5), ("fact", "interactive", 1), "Lyon", "newer"),
    (("fact", "interactive", 1), ("fact", "autonomous", 5), "Berlin", "newer"),
    (("fact", "interactive", 5), ("fact", "autonomous", 5), "Lyon", "interactive"),
    (("fact", "autonomous", 5), ("fact", "interactive", 5), "Berlin", "interactive"),
]


@pytest.mark.requirement("TS-94")
@pytest.mark.parametrize(("old", "new", "winner", "rule"), CASES)
def test_the_rule_decides_whatever_the_model_picks(alice, asks, old, new, winner, rule):
    asks(home("Lyon"), home("Berlin"))
    lives(alice, "Lyon", *old)
    synthesise(alice)
    lives(alice, "Berlin", *new)

    synthesise(alice)

    found = Contradiction.objects.get()
    assert scaffold(alice) == {"Places": {"Home": winner}}
    assert (found.kept, found.rule) == (winner, rule)
    assert narrative(alice) == f"The user lives in {winner}."


@pytest.mark.requirement("TS-94")
def test_a_correction_in_the_same_run_beats_what_the_model_picked(alice, asks):
    asks(home("Paris"))
    lives(alice, "Paris", days=1)
    lives(alice, "Berlin", "correction", days=2)

    synthesise(alice)

    assert scaffold(alice) == {"Places": {"Home": "Berlin"}}
    assert Contradiction.objects.get().rule == "correction"


@pytest.mark.requirement("TS-94")
def test_a_correction_that_the_model_overlooks_is_heard_all_the_same(alice, asks):
    asks(home("Paris"), answer(narrative="The user lives in Paris."))
    lives(alice, "Paris")
    synthesise(alice)
    lives(alice, "Berlin", "correction", days=1)

    synthesise(alice)

    assert scaffold(alice) == {"Places": {"Home": "Berlin"}}


def test_what_is_older_in_the_same_run_does_not_beat_the_models_pick(alice, asks):
    asks(home("Berlin"))
    lives(alice, "Paris", days=1)
    lives(alice, "Berlin", days=2)

    synthesise(alice)

    assert scaffold(alice) == {"Places": {"Home": "Berlin"}}
    assert not Contradiction.objects.exists()


@pytest.mark.requirement("TS-94")
def test_the_persons_own_edit_beats_every_observation(alice, asks):
    asks(home("Paris"), home("Berlin"))
    lives(alice, "Paris")
    synthesise(alice)
    edit_profile(owner=alice, part="scaffold", fields={HOME: "Rome"}, actor="alice")
    lives(alice, "Berlin", "correction", days=999)

    synthesise(alice)

    assert scaffold(alice) == {"Places": {"Home": "Rome"}}
    assert Contradiction.objects.get().rule == "person"


def test_a_list_that_only_grows_contradicts_nothing(alice, asks):
    asks(
        answer({"Likes": ["tea"]}), answer({"Likes": ["tea", "figs"]}), answer({"Likes": ["figs"]})
    )
    for day, text in enumerate(["Likes tea.", "Likes figs.", "No tea."]):
        observed(alice, text, days=day)
        synthesise(alice)

    assert Contradiction.objects.get().kept == ["figs"]


def test_a_value_that_goes_is_a_contradiction_too(alice, asks):
    asks(home("Lyon"), answer({"Places": {"Home": None}}))
    lives(alice, "Lyon", days=1)
    synthesise(alice)
    observed(alice, "Lyon is over.", days=2)

    synthesise(alice)

    found = Contradiction.objects.get()
    assert (found.kept, found.lost) == (None, "Lyon")
    assert scaffold(alice) == {"Places": {}} or scaffold(alice) == {}


def test_a_key_takes_the_place_of_a_value_and_a_value_that_of_a_key(alice, asks):
    asks(
        answer({"Home": "Lyon"}),
        answer({"Home": {"City": "Lyon"}}),
        answer({"Home": "a boat in Lyon"}),
    )
    for day, text in enumerate(["Lyon.", "The city is Lyon.", "A boat in Lyon."]):
        observed(alice, text, days=day)
        synthesise(alice)

    assert scaffold(alice) == {"Home": "a boat in Lyon"}
    assert list(ScaffoldEntry.objects.values_list("path", flat=True)) == ["/Home"]


def test_a_value_that_must_stay_keeps_its_place(alice, asks):
    asks(answer({"Home": "Lyon"}), answer({"Home": {"City": "Berlin"}, "Age": "34"}))
    observed(alice, "Lyon.", "correction", days=9)
    synthesise(alice)
    observed(alice, "Berlin, 34.", days=1)

    synthesise(alice)

    assert scaffold(alice) == {"Home": "Lyon", "Age": "34"}


@pytest.mark.requirement("TS-78")
def test_each_leaf_has_a_confidence_with_its_evidence(alice, asks):
    asks(answer({"Home": "Lyon", "Pets": {"Dog": "Rex"}, "Mood": "sunny"}))
    said = observed(alice, "Home is Lyon.")
    found = observed(alice, "The dog is Rex.", source="autonomous")
    corrected = observed(alice, "Rex is the dog, really.", "correction", "autonomous")

    synthesise(alice)

    entries = {entry.path: entry for entry in ScaffoldEntry.objects.all()}
    assert entries.keys() == {"/Home", "/Pets/Dog", "/Mood"}
    assert entries["/Home"].evidence == [said.pk]
    assert entries["/Pets/Dog"].evidence == [found.pk, corrected.pk]
    assert entries["/Pets/Dog"].is_correction
    assert entries["/Mood"].confidence < entries["/Home"].confidence
    assert 0.5 < entries["/Home"].confidence < entries["/Pets/Dog"].confidence < 1


@pytest.mark.requirement("TS-78")
def test_what_is_observed_again_is_surer(alice, asks):
    asks(home("Lyon"), answer(), answer())
    sure = []
    for day in range(3):
        lives(alice, "Lyon", days=day)
        synthesise(alice)
        sure.append(ScaffoldEntry.objects.get().confidence)

    assert sure == sorted(set(sure))
    assert len(ScaffoldEntry.objects.get().evidence) == 3

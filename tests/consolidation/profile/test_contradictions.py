"""Which of two values holds, what is kept of both, and how sure a leaf is."""

import json
from uuid import uuid4

import pytest
from django.utils import timezone

from knowledge.changes.reverting import revert_changeset
from knowledge.models import Changeset, ContextDocument, Contradiction, ScaffoldEntry, UserNarrative
from knowledge.profile.edit import edit_profile
from tests.consolidation.profile.observed import (
    answer,
    change,
    learned,
    narrative,
    observed,
    scaffold,
    synthesise,
    told,
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


THIRD_PERSONS = [
    ("User's boss works as a lawyer.", "/Role", "Engineering manager"),
    ("User's cat goes by Momo.", "/Name", "Alice"),
    ("User's sister lives in Paris.", "/Places/Home", "Lisbon"),
    ("User's dog is 12 years old.", "/Age", "45"),
    ("User's wife is vegan.", "/Diet", "omnivore"),
    ("User's mother's birthday is on 8 June.", "/Birthday", "3 May"),
    ("The user's old friend goes on and on: the user lives in Rome.", "/Places/Home", "Lisbon"),
]


@pytest.mark.requirement("TS-27")
@pytest.mark.requirement("TS-94")
@pytest.mark.parametrize("type", ["fact", "correction"])
@pytest.mark.parametrize(("text", "path", "value"), THIRD_PERSONS)
def test_no_wording_overrules_what_the_model_leaves_as_it_is(alice, asks, text, path, value, type):
    sentence = f"The user, {value}, leads the migration."
    asks(answer([{"op": "set", "path": path, "value": value}], sentence), answer([], sentence))
    observed(alice, "Before.")
    synthesise(alice)
    before = scaffold(alice)
    observed(alice, text, type, days=1)

    synthesise(alice)

    assert scaffold(alice) == before
    assert narrative(alice) == sentence
    assert not Contradiction.objects.exists()


def test_what_is_older_in_the_same_run_does_not_beat_the_models_pick(alice, asks):
    asks(home("Berlin"))
    lives(alice, "Paris", days=1)
    lives(alice, "Berlin", days=2)

    synthesise(alice)

    assert scaffold(alice) == {"Places": {"Home": "Berlin"}}
    assert not Contradiction.objects.exists()


EDITED = [
    # What the model's change stands on: kind, source, day after the edit. Then who wins.
    ("fact", "interactive", 1, "Berlin"),
    ("correction", "interactive", 1, "Berlin"),
    ("correction", "interactive", -1, "Rome"),
    ("correction", "autonomous", 1, "Rome"),
    ("fact", "tool", 999, "Rome"),
]


@pytest.mark.requirement("TS-80")
@pytest.mark.requirement("TS-94")
@pytest.mark.parametrize(("type", "source", "days", "winner"), EDITED)
def test_what_the_person_wrote_stands_until_they_say_otherwise_themselves(
    alice, asks, type, source, days, winner
):
    edit_profile(owner=alice, part="scaffold", fields={HOME: "Rome"}, actor="alice")
    new = observed(alice, "So it is.", type, source, at=timezone.now(), days=days)
    asks(answer([change("set", HOME, "Berlin", new)], [told("The user lives in Berlin.", new)]))

    synthesise(alice)

    found = Contradiction.objects.get()
    assert scaffold(alice) == {"Places": {"Home": winner}}
    assert {found.kept, found.lost} == {"Rome", "Berlin"}
    assert found.kept == winner
    assert ("Berlin" in narrative(alice)) is (winner == "Berlin")


@pytest.mark.requirement("TS-80")
@pytest.mark.parametrize(("source", "days"), [("interactive", 1), ("autonomous", 1)])
def test_a_sentence_that_the_person_wrote_stays_until_they_say_otherwise(alice, asks, source, days):
    edit_profile(
        owner=alice, part="narrative", fields={"text": "I rest until June."}, actor="alice"
    )
    new = observed(alice, "Back at work.", source=source, at=timezone.now(), days=days)
    asks(answer([], [told("The user is back at work.", "w1", new), told("She sails.", new)]))

    synthesise(alice)

    if source == "interactive":
        assert narrative(alice) == "The user is back at work. She sails."
        found = Contradiction.objects.get()
        assert (found.kept, found.lost) == ("The user is back at work.", "I rest until June.")
    else:
        assert narrative(alice) == "She sails. I rest until June."
        assert UserNarrative.objects.get().statements[1]["by"] == "person"


def test_a_list_only_grows_unless_a_member_is_taken_out(alice, asks):
    asks(
        answer({"Likes": ["tea"]}),
        answer({"Likes": ["figs"]}),
        answer([change("remove", "/Likes", ["tea"])]),
    )
    found = []
    for day, text in enumerate(["Likes tea.", "Likes figs.", "No tea."]):
        observed(alice, text, days=day)
        synthesise(alice)
        found.append(scaffold(alice)["Likes"])

    assert found == [["tea"], ["tea", "figs"], ["figs"]]
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
def test_each_leaf_is_as_sure_as_what_the_model_names_for_it(alice, asks):
    said = observed(alice, "Eats no meat.")
    found = observed(alice, "The dog is Rex.", source="autonomous")
    corrected = observed(alice, "Rex is the dog, really.", "correction", "autonomous")
    asks(
        answer(
            [
                change("set", "/Diet", "vegetarian", said),
                change("set", "/Pets/Dog", "Rex", found, corrected),
                change("set", "/Mood", "sunny", said, basis="implied"),
                change("set", "/Shoe size", "38"),
            ]
        )
    )

    synthesise(alice)

    entries = {entry.path: entry for entry in ScaffoldEntry.objects.all()}
    assert entries["/Diet"].evidence == [said.pk]
    assert entries["/Pets/Dog"].evidence == [found.pk, corrected.pk]
    assert [path for path, entry in entries.items() if entry.is_correction] == ["/Pets/Dog"]
    order = sorted(entries, key=lambda path: -entries[path].confidence)
    assert order == ["/Pets/Dog", "/Diet", "/Mood", "/Shoe size"]
    assert 0.5 < entries["/Diet"].confidence < entries["/Pets/Dog"].confidence < 1


@pytest.mark.requirement("TS-78")
def test_what_is_observed_on_another_occasion_is_surer(alice, asks):
    sure: list[float] = []
    for session in (uuid4(), uuid4(), None):
        event = lives(alice, "Lyon", days=len(sure))
        again = lives(alice, "Lyon", days=len(sure))
        for one in (event, again):
            one.source_metadata["session_id"] = str(session)
            one.save()
        op = "confirm" if sure else "set"
        asks(answer([change(op, HOME, None if sure else "Lyon", event, again)]))
        synthesise(alice)
        sure.append(ScaffoldEntry.objects.get().confidence)

    assert sure == [0.7, 0.82, 0.892]
    assert len(ScaffoldEntry.objects.get().evidence) == 6


def test_a_renamed_key_keeps_its_evidence_and_how_sure_it_is(alice, asks):
    event = lives(alice, "Lyon", "correction")
    asks(answer([change("set", "/home", "Lyon", event)]))
    synthesise(alice)
    later = observed(alice, "Bees.", days=1)
    asks(answer([change("rename", "/home", None, later, to=HOME)]))

    synthesise(alice)

    entry = ScaffoldEntry.objects.get()
    assert (entry.path, entry.evidence, entry.is_correction) == (HOME, [event.pk], True)
    assert entry.confidence == 0.85
    assert scaffold(alice) == {"Places": {"Home": "Lyon"}}


@pytest.mark.requirement("TS-80")
@pytest.mark.requirement("TS-94")
def test_what_is_over_leaves_all_four_parts_in_one_changeset(alice, asks):
    old = observed(alice, "The deadline is 12 June.", "learned_fact")
    asks(
        answer(
            [change("set", "/Projects/Billing", "due 12 June", old)],
            [told("The billing is due on 12 June 2026.", old)],
            [{"statement": "The deadline is 12 June 2026.", "refs": [f"ob-{old.pk.hex}"]}],
        )
    )
    synthesise(alice)
    new = observed(alice, "The deadline moved to 3 July.", "correction", days=1)
    model = asks(
        answer(
            [change("set", "/Projects/Billing", "due 3 July", new)],
            [told("The billing is due on 3 July 2026.", "w1", new)],
            ["The deadline is 3 July 2026."],
            [{"id": "d1", "refs": [f"ob-{new.pk.hex}"]}, {"id": "l1"}, {"id": "d7"}],
        )
    )

    synthesise(alice)

    known = json.loads(model.asked[0].known)
    assert known["documents"][0]["text"] == "The deadline is 12 June 2026."
    assert known["documents"][0]["kept"] == "2026-05-08"
    assert known["learned"][0] == {"id": "l1", "text": "The deadline is 12 June."}
    assert known["leaves"]["/Projects/Billing"].endswith("interactive, 2026-05-08")
    assert "12 June" not in f"{narrative(alice)} {scaffold(alice)} {learned(alice)}"
    assert [row.content for row in ContextDocument.objects.all()] == [
        "The deadline is 3 July 2026."
    ]
    made = Changeset.objects.order_by("-created_at").first()
    retired = set(made.items.filter(act="retire").values_list("kind", flat=True))
    assert retired == {"document", "learned_info"}

    revert_changeset(changeset=made, actor="alice")

    assert scaffold(alice) == {"Projects": {"Billing": "due 12 June"}}
    assert learned(alice) == ["The deadline is 12 June."]
    assert [row.content for row in ContextDocument.objects.all()] == [
        "The deadline is 12 June 2026."
    ]


def test_what_the_person_put_in_by_hand_is_retired_by_their_own_later_word_alone(alice, asks):
    edit_profile(owner=alice, part="learned_info", fields={"items": ["I sail."]}, actor="alice")
    mail = observed(alice, "Alice sails no more.", source="autonomous", at=timezone.now(), days=1)
    asks(answer(retire=[{"id": "l1", "refs": [f"ob-{mail.pk.hex}"]}]))
    synthesise(alice)
    assert learned(alice) == ["I sail."]
    own = observed(alice, "I sail no more.", at=timezone.now(), days=1)
    asks(answer(retire=[{"id": "l1", "refs": [f"ob-{own.pk.hex}"]}]))

    synthesise(alice)

    assert learned(alice) == []

"""What a person does to their picture, also while a run is under way."""

import pytest

from accounts.errors import Fault
from knowledge.changes.reverting import revert_changeset
from knowledge.errors import ChangesetOvertaken, ItemChanged, ItemUnfit
from knowledge.models import ChangeItem, Changeset, Contradiction, ScaffoldEntry
from knowledge.profile.edit import edit_profile, erase_profile, read_profile
from tests.consolidation.profile.observed import (
    answer,
    learned,
    narrative,
    observed,
    scaffold,
    synthesise,
)


def edited(owner, part: str, **fields):
    return edit_profile(owner=owner, part=part, fields=fields, actor="alice")


def placed(owner, **paths):
    fields = {"/" + path.replace("_", "/"): value for path, value in paths.items()}
    return edit_profile(owner=owner, part="scaffold", fields=fields, actor="alice")


def erased(owner, part: str, *names: str):
    return erase_profile(owner=owner, part=part, names=names, actor="alice")


def test_nobody_known_has_an_empty_picture(alice):
    found = read_profile(alice)

    assert (found.working_memory, found.scaffold, found.learned) == ("", {}, ())
    assert found.narrative_version == found.scaffold_version == found.learned_version == 0


def test_a_person_writes_each_part(alice):
    edited(alice, "narrative", text="Alice keeps bees. She is happy.")
    placed(alice, Name="Alice", Pets={"Dog": "Rex", "Cats": ["Tom"]}, Empty={})
    made = edited(alice, "learned_info", items=["One.", "Two.", "one"])

    found = read_profile(alice)
    assert found.working_memory == "Alice keeps bees. She is happy."
    assert found.scaffold == {"Name": "Alice", "Pets": {"Dog": "Rex", "Cats": ["Tom"]}, "Empty": {}}
    assert sorted(found.learned) == ["Two.", "one"]
    assert (found.narrative_version, found.scaffold_version, found.learned_version) == (1, 1, 1)
    assert (made.origin, made.actor) == ("person", "alice")
    entry = ScaffoldEntry.objects.get(path="/Pets/Dog")
    assert (entry.confidence, entry.channel) == (1.0, "person")


def test_a_pointer_goes_through_keys_with_slashes_and_tildes(alice):
    edit_profile(owner=alice, part="scaffold", fields={"/a~1b/c~0d": "x"}, actor="alice")

    assert scaffold(alice) == {"a/b": {"c~d": "x"}}


def test_none_takes_out_what_stands_there(alice):
    placed(alice, Pets={"Dog": "Rex", "Cat": "Tom"}, Name="Alice")

    placed(alice, Pets=None)

    assert scaffold(alice) == {"Name": "Alice"}
    assert ScaffoldEntry.objects.get().path == "/Name"


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("narrative", {}),
        ("narrative", {"text": 7}),
        ("narrative", {"text": "a\0b"}),
        ("narrative", {"text": "word " * 501}),
        ("narrative", {"text": "A.", "more": 1}),
        ("scaffold", {"Name": "Alice"}),
        ("scaffold", {"/" + "x" * 101: 1}),
        ("scaffold", {"/Cats/0": "Tim"}),
        ("scaffold", {"/a/b/c/d/e/f/g/h/i/j/k": 1}),
        ("scaffold", {"/a": "\0"}),
        ("learned_info", {"items": "one"}),
        ("learned_info", {"items": [""]}),
        ("learned_info", {"items": ["x"] * 201}),
        ("document", {"content": "x"}),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_changes(alice, part, fields):
    placed(alice, Cats=["Tom"])

    with pytest.raises(ItemUnfit):
        edit_profile(owner=alice, part=part, fields=fields, actor="alice")

    assert scaffold(alice) == {"Cats": ["Tom"]}
    assert Changeset.objects.count() == 1


def test_an_edit_of_what_was_not_seen_is_refused(alice):
    placed(alice, Name="Alice")

    with pytest.raises(ItemChanged) as caught:
        edit_profile(owner=alice, part="scaffold", fields={"/Name": "Bob"}, actor="bob", version=0)
    with pytest.raises(ItemChanged):
        erase_profile(owner=alice, part="scaffold", names=["/Name"], actor="bob", version=7)

    assert caught.value.detail == {"version": 1}
    assert scaffold(alice) == {"Name": "Alice"}


@pytest.mark.parametrize(
    ("part", "first", "second", "read"),
    [
        ("narrative", {"text": "One."}, {"text": "Two."}, narrative),
        ("scaffold", {"/A": "1", "/B": {"c": 2}}, {"/A": None, "/B": "x", "/D": "y"}, scaffold),
        ("learned_info", {"items": ["One.", "Two."]}, {"items": ["Two.", "Three."]}, learned),
    ],
)
def test_a_persons_edit_is_taken_back(alice, part, first, second, read):
    edit_profile(owner=alice, part=part, fields=first, actor="alice")
    before = read(alice)
    made = edit_profile(owner=alice, part=part, fields=second, actor="alice")

    undo = revert_changeset(changeset=made, actor="alice")

    assert read(alice) == before or sorted(read(alice)) == sorted(before)
    assert revert_changeset(changeset=made, actor="alice") == undo


def test_what_was_changed_since_is_not_taken_back(alice):
    made = placed(alice, Name="Alice")
    told = edited(alice, "narrative", text="One.")
    placed(alice, Name="Bob")
    edited(alice, "narrative", text="Two.")

    for one in (made, told):
        with pytest.raises(ChangesetOvertaken):
            revert_changeset(changeset=one, actor="alice")

    assert scaffold(alice) == {"Name": "Bob"}


def test_a_leaf_does_not_come_back_under_a_newer_one(alice):
    placed(alice, Home="Lyon")
    made = placed(alice, Home=None)
    placed(alice, Home_City="Berlin")

    with pytest.raises(ChangesetOvertaken):
        revert_changeset(changeset=made, actor="alice")


def test_an_edit_during_a_run_survives_it(alice, asks):
    asks(answer({"Name": "Al", "Dog": "Rex", "Old": "x"}, "First."))
    observed(alice, "Al, Rex, x.", "learned_fact")
    synthesise(alice)

    def meanwhile():
        edited(alice, "narrative", text="In my own words.")
        placed(alice, Name="Alice", Old=None, Mine="yes")
        edited(alice, "learned_info", items=[])
        return answer(
            {"Name": "Ally", "Dog": "Max", "Old": "y", "Mine": "no", "New": "z"}, "Second."
        )

    asks(meanwhile)
    observed(alice, "Ally, Max, y, no, z.", days=1)
    observed(alice, "Al, Rex, x.", "learned_fact", days=1)
    synthesise(alice)

    assert narrative(alice) == "In my own words."
    assert scaffold(alice) == {"Name": "Alice", "Dog": "Max", "Mine": "yes", "New": "z"}
    assert learned(alice) == []


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_what_a_person_deleted_is_not_brought_back(alice, asks, when):
    said = answer(
        {"Pets": {"Dog": "Rex", "Cats": ["Tom", "Tim"]}, "Name": "Alice"},
        "Alice has a dog. Alice keeps bees.",
    )
    asks(said)
    observed(alice, "Rex and Tom and Tim.", "learned_fact")
    synthesise(alice)

    def delete():
        erased(alice, "scaffold", "/Pets")
        erased(alice, "narrative", "Alice has a dog.")
        erased(alice, "learned_info", "Rex and Tom and Tim.")
        return {**said, "updated_scaffold": {"Animals": {"dog": "rex", "Cats": ["Tom", "Kit"]}}}

    asks(delete() if when == "before" else delete)
    observed(alice, "Rex and Tom and Tim.", "learned_fact", days=1)
    synthesise(alice)

    assert narrative(alice) == "Alice keeps bees."
    assert learned(alice) == []
    found = scaffold(alice)
    assert found["Name"] == "Alice"
    assert "rex" not in str(found).casefold()
    assert "Tom" not in str(found)


def test_a_deletion_leaves_no_word_in_the_changes_and_stays(alice, asks):
    asks(answer({"Dog": "Rex"}, "Rex is here."), answer({"Dog": "Max"}, "Max."))
    for day, text in enumerate(("Rex.", "Max.")):
        observed(alice, text, "learned_fact", days=day)
        synthesise(alice)
    first = Changeset.objects.order_by("created_at").first()

    erased(alice, "scaffold", "/Dog")
    made = erased(alice, "learned_info", "Rex.")
    erased(alice, "narrative")

    assert (narrative(alice), scaffold(alice), learned(alice)) == ("", {}, ["Max."])
    kept = ChangeItem.objects.filter(kind__in=["scaffold", "learned_info"])
    assert not kept.filter(before__icontains="Rex").exists()
    assert not [item for item in kept if "Rex" in f"{item.before}{item.after}{item.quote}"]
    assert not Contradiction.objects.exists()
    for one in (made, first):
        try:
            revert_changeset(changeset=one, actor="alice")
        except Fault:
            continue
    assert "Rex" not in f"{scaffold(alice)}{learned(alice)}"


def test_a_deleted_value_does_not_come_back_by_a_reversal(alice):
    placed(alice, Dog="Rex")
    made = placed(alice, Dog="Max")
    placed(alice, Other_Dog="Rex")
    erased(alice, "scaffold", "/Other/Dog")

    undo = revert_changeset(changeset=made, actor="alice")

    assert scaffold(alice) == {"Dog": "Max"}
    assert undo.items.get().code == "guard.tombstone"

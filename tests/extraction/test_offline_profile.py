"""The rules that sort observations into the picture of a user."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from consolidation import prompts
from extraction.contracts.profile import ProfileUpdate
from extraction.rules.model import OfflineChat
from providers.chat import Line
from tests.patches import patched


@dataclass(frozen=True)
class Seen:
    """A picture as plain data."""

    scaffold: dict
    told: str
    facts: list[str]
    retired: list[str]


def picture(
    *observations: tuple[str, str],
    scaffold: dict | None = None,
    narrative: str = "",
    role: str = "user",
    learned: Sequence[str] = (),
) -> Seen:
    lines = [
        Line(f"ob-{place}", role, f"- [{type}] 2026-05-08, said in a chat: {text}")
        for place, (type, text) in enumerate(observations)
    ]
    texts = [{"id": f"l{place}", "text": text} for place, text in enumerate(learned, start=1)]
    known = {"scaffold": scaffold or {}, "working_memory": narrative, "learned": texts}
    value = OfflineChat().complete(prompts.profile(lines, json.dumps(known), words=500)).value
    return Seen(
        patched(scaffold or {}, value.updated_scaffold),
        " ".join(one.text for one in value.updated_working_memory),
        [one.statement for one in value.facts_to_embed],
        [one.id for one in value.retire],
    )


CASES = {
    "My name is Alice.": {"Name": "Alice"},
    "The user is called Bob.": {"Name": "Bob"},
    "Works as a baker at night.": {"Role": "baker at night"},
    "My job is teacher.": {"Role": "teacher"},
    "I recently moved to Berlin.": {"Places": {"Home": "Berlin"}},
    "I work for Acme Tools.": {"Work": {"Employer": "Acme Tools"}},
    "I live in Lyon.": {"Places": {"Home": "Lyon"}},
    "The user comes from New York.": {"Places": {"Origin": "New York"}},
    "I am 34 years old.": {"Age": "34"},
    "My birthday is on 3 May.": {"Birthday": "3 May"},
    "The user speaks French.": {"Languages": ["French"]},
    "I am allergic to peanuts and I run.": {"Health": {"Allergies": ["peanuts"]}},
    "I'm vegan.": {"Diet": "vegan"},
    "The user wants to sail to Malta.": {"Goals": ["sail to Malta"]},
    "My goal is to sleep more.": {"Goals": ["sleep more"]},
    "We are building a boat.": {"Projects": ["a boat"]},
    "User prefers tea.": {"Preferences": ["prefers tea"]},
    "My dog is called Rex.": {"Pets": {"Dog": "Rex"}},
    "The user has a cat named Tom.": {"Pets": {"Cat": "Tom"}},
    "My sister is called Ana.": {"Family": {"Sister": "Ana"}},
    "Meine Schwester heißt Ana.": {"Family": {"Schwester": "Ana"}},
    "My boat needs paint.": {"Facts": ["My boat needs paint"]},
    'User EXPERIENCED Lyon \u2014 "I live in Lyon."': {"Places": {"Home": "Lyon"}},
}
OTHERS = [
    "User's boss works as a lawyer.",
    "User's cat goes by Momo.",
    "User's sister lives in Paris.",
    "User's dog is 12 years old.",
    "User's wife is vegan.",
    "User's mother's birthday is on 8 June.",
    "User's sister works as a nurse in Graz.",
    "I think my sister lives in Paris.",
    "Meine Schwester wohnt in Graz.",
    "The client lives in Boston.",
    "She works as a baker.",
    "Mallory wrote: your colleague works as a clown.",
    "My manager is allergic to peanuts and works for Acme.",
]


@pytest.mark.requirement("TS-94")
@pytest.mark.parametrize("text", OTHERS)
def test_what_is_said_of_others_is_nothing_of_the_users(text):
    found = picture(("fact", text)).scaffold

    assert found in ({}, {"Facts": [text.rstrip(".")]})
    assert picture(("fact", text), role="tool").scaffold in ({}, {"Facts": [text.rstrip(".")]})


def test_a_correction_retires_what_it_denies():
    found = picture(
        ("correction", "I live in Berlin, not Lyon."), learned=["Lives in Lyon.", "Sails."]
    )

    assert found.retired == ["l1"]


@pytest.mark.parametrize(("text", "found"), CASES.items())
def test_an_observation_is_put_where_it_belongs(text, found):
    assert picture(("fact", text)).scaffold == found


def test_what_no_wording_places_is_placed_by_its_kind():
    found = picture(("preference", "Short answers"), ("project_details", "The garden planner."))

    assert found.scaffold == {
        "Preferences": ["Short answers"],
        "Projects": ["The garden planner"],
    }


def test_an_update_that_is_an_object_says_itself_where_it_belongs():
    found = picture(("scaffold_update", '{"Boat": {"Name": "Ada"}}'))

    assert found.scaffold == {"Boat": {"Name": "Ada"}}
    assert found.facts == []
    assert found.told == ""


def test_a_correction_replaces_what_it_corrects():
    known = {"Places": {"Home": "Lyon"}, "Preferences": ["prefers tea", "prefers figs"]}
    found = picture(
        ("correction", "I live in Berlin, not Lyon."),
        ("correction", "Prefers coffee, not tea."),
        scaffold=known,
        narrative="The user lives in Lyon. The user drinks a lot. She sails.",
    )

    assert found.scaffold["Places"] == {"Home": "Berlin"}
    assert found.scaffold["Preferences"] == ["prefers figs", "Prefers coffee"]
    assert "lives in Lyon" not in found.told
    assert "She sails." in found.told


def test_lists_grow_beside_what_is_known_and_hold_nothing_twice():
    known = {"Health": {"Allergies": ["nuts"]}, "Goals": "sail"}
    found = picture(
        ("fact", "I am allergic to bees."),
        ("fact", "I am allergic to nuts."),
        ("fact", "I want to run."),
        scaffold=known,
    )

    assert found.scaffold == {
        "Health": {"Allergies": ["nuts", "bees"]},
        "Goals": ["sail", "run"],
    }


def test_the_narrative_begins_with_the_newest_project():
    found = picture(
        ("fact", "my dog is rex"),
        ("project_details", "I plan the garden."),
        ("project_details", "I build the shed."),
        narrative="The user sails. The user plans the garden.",
    )

    assert found.told == (
        "I build the shed. I plan the garden. My dog is rex. The user sails. "
        "The user plans the garden."
    )


def test_the_narrative_keeps_to_its_words_and_is_never_lost():
    long = picture(
        *[("fact", f"My number {place} is a number of many numbers.") for place in range(90)]
    )

    assert 200 < len(long.told.split()) <= 250
    assert picture(narrative="Alice sails.").told == "Alice sails."
    assert picture(("fact", "  ")).told == ""


def test_fact_like_observations_are_embedded_once_each():
    found = picture(
        ("fact", "Rex is a dog."),
        ("learned_fact", "Rex is a dog."),
        ("preference", "Likes tea."),
        ("odd line", "no"),
    )

    assert found.facts == ["Rex is a dog.", "Likes tea."]


@pytest.mark.parametrize("known", ["", "no json", "[]", '{"scaffold": 3}'])
def test_what_is_known_may_be_of_no_use(known):
    lines = [Line("ob-1", "user", "- [fact] I live in Lyon.")]

    value = OfflineChat().complete(prompts.profile(lines, known, words=500)).value

    assert patched({}, value.updated_scaffold) == {"Places": {"Home": "Lyon"}}


@pytest.mark.parametrize(
    "scaffold",
    [
        {"x" * 101: 1},
        {"a": "x" * 20_001},
        {"a\0": 1},
        {"a": "\0"},
        {"a": list(range(3_000))},
        {"a": [[[[[[[[[[[1]]]]]]]]]]]},
    ],
)
def test_a_part_without_bounds_is_left_out_alone(scaffold):
    said = {
        "updated_scaffold": {"Name": "Alice", **scaffold},
        "updated_working_memory": "",
        "facts_to_embed": [],
    }

    found = ProfileUpdate.model_validate(said)

    assert [change.path for change in found.updated_scaffold] == ["/Name"]
    assert found.unfit == 1


def test_extra_keys_are_ignored_and_the_plain_form_is_read():
    said = {
        "updated_scaffold": {"Name": "Bob", "Home": None},
        "updated_working_memory": "A.",
        "facts_to_embed": ["B."],
        "why": 1,
        "unfit": -9,
    }

    found = ProfileUpdate.model_validate(said)

    assert [one.text for one in found.updated_working_memory] == ["A."]
    assert [one.op for one in found.updated_scaffold] == ["set", "remove"]
    assert [one.statement for one in found.facts_to_embed] == ["B."]
    assert found.unfit == 0


def test_a_correction_stands_where_what_it_denies_stood():
    known = {"Facts": ["Runs about forty kilometres", "Bakes"], "Plans": {"Trip": "three weeks"}}
    found = picture(
        ("correction", "User runs about sixty kilometres, not forty."),
        ("correction", "Die Reise dauert zwei Wochen, nicht three weeks."),
        scaffold=known,
    )

    assert found.scaffold == {
        "Facts": ["Bakes", "User runs about sixty kilometres"],
        "Plans": {"Trip": "Die Reise dauert zwei Wochen"},
    }


def test_a_correction_of_what_stood_nowhere_is_a_fact():
    found = picture(("correction", "My boat is blue, not red."))

    assert found.scaffold == {"Facts": ["My boat is blue"]}

"""The rules that sort observations into the picture of a user."""

import json

import pytest

from consolidation import prompts
from extraction.contracts.profile import ProfileUpdate
from extraction.rules.model import OfflineChat
from providers.chat import Line


def picture(
    *observations: tuple[str, str], scaffold: object = None, narrative: str = ""
) -> ProfileUpdate:
    lines = [
        Line(f"ob-{place}", "user", f"- [{type}] {text}")
        for place, (type, text) in enumerate(observations)
    ]
    known = json.dumps({"scaffold": scaffold or {}, "working_memory": narrative})
    return OfflineChat().complete(prompts.profile(lines, known, words=500)).value


CASES = {
    "My name is Alice.": {"Name": "Alice"},
    "The user is called Bob.": {"Name": "Bob"},
    "She works as a baker at night.": {"Role": "baker at night"},
    "Her job is teacher.": {"Role": "teacher"},
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
    "The boat needs paint.": {"Facts": ["The boat needs paint"]},
}


@pytest.mark.parametrize(("text", "found"), CASES.items())
def test_an_observation_is_put_where_it_belongs(text, found):
    assert picture(("fact", text)).updated_scaffold == found


def test_what_no_wording_places_is_placed_by_its_kind():
    found = picture(("preference", "Short answers"), ("project_details", "The garden planner."))

    assert found.updated_scaffold == {
        "Preferences": ["Short answers"],
        "Projects": ["The garden planner"],
    }


def test_an_update_that_is_an_object_says_itself_where_it_belongs():
    found = picture(("scaffold_update", '{"Boat": {"Name": "Ada"}}'))

    assert found.updated_scaffold == {"Boat": {"Name": "Ada"}}
    assert found.facts_to_embed == []
    assert found.updated_working_memory == ""


def test_a_correction_replaces_what_it_corrects():
    known = {"Places": {"Home": "Lyon"}, "Preferences": ["prefers tea", "prefers figs"]}
    found = picture(
        ("correction", "I live in Berlin, not Lyon."),
        ("correction", "Prefers coffee, not tea."),
        scaffold=known,
        narrative="The user lives in Lyon. The user drinks a lot. She sails.",
    )

    assert found.updated_scaffold["Places"] == {"Home": "Berlin"}
    assert found.updated_scaffold["Preferences"] == ["prefers figs", "Prefers coffee"]
    assert "lives in Lyon" not in found.updated_working_memory
    assert "She sails." in found.updated_working_memory


def test_lists_grow_beside_what_is_known_and_hold_nothing_twice():
    known = {"Health": {"Allergies": ["nuts"]}, "Goals": "sail"}
    found = picture(
        ("fact", "I am allergic to bees."),
        ("fact", "I am allergic to nuts."),
        ("fact", "I want to run."),
        scaffold=known,
    )

    assert found.updated_scaffold == {
        "Health": {"Allergies": ["bees", "nuts"]},
        "Goals": ["sail", "run"],
    }


def test_the_narrative_begins_with_the_newest_project():
    found = picture(
        ("fact", "rex is my dog"),
        ("project_details", "I plan the garden."),
        ("project_details", "I build the shed."),
        narrative="The user sails. The user plans the garden.",
    )

    assert found.updated_working_memory == (
        "I build the shed. I plan the garden. Rex is my dog. The user sails. "
        "The user plans the garden."
    )


def test_the_narrative_keeps_to_its_words_and_is_never_lost():
    long = picture(
        *[("fact", f"Number {place} is a number of many numbers.") for place in range(90)]
    )

    assert 200 < len(long.updated_working_memory.split()) <= 250
    assert picture(narrative="Alice sails.").updated_working_memory == "Alice sails."
    assert picture(("fact", "  ")).updated_working_memory == ""


def test_fact_like_observations_are_embedded_once_each():
    found = picture(
        ("fact", "Rex is a dog."),
        ("learned_fact", "Rex is a dog."),
        ("preference", "Likes tea."),
        ("odd line", "no"),
    )

    assert found.facts_to_embed == ["Rex is a dog.", "Likes tea."]


@pytest.mark.parametrize("known", ["", "no json", "[]", '{"scaffold": 3}'])
def test_what_is_known_may_be_of_no_use(known):
    lines = [Line("ob-1", "user", "- [fact] I live in Lyon.")]

    value = OfflineChat().complete(prompts.profile(lines, known, words=500)).value

    assert value.updated_scaffold == {"Places": {"Home": "Lyon"}}


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
def test_a_profile_without_bounds_is_refused(scaffold):
    said = {"updated_scaffold": scaffold, "updated_working_memory": "", "facts_to_embed": []}

    with pytest.raises(ValueError, match="updated_scaffold"):
        ProfileUpdate.model_validate(said)


def test_extra_keys_are_ignored():
    said = {"updated_scaffold": {}, "updated_working_memory": "A.", "facts_to_embed": [], "why": 1}

    assert ProfileUpdate.model_validate(said).updated_working_memory == "A."


def test_a_correction_stands_where_what_it_denies_stood():
    known = {"Facts": ["Runs about forty kilometres", "Bakes"], "Plans": {"Trip": "three weeks"}}
    found = picture(
        ("correction", "User runs about sixty kilometres, not forty."),
        ("correction", "Die Reise dauert zwei Wochen, nicht three weeks."),
        scaffold=known,
    )

    assert found.updated_scaffold == {
        "Facts": ["Bakes", "User runs about sixty kilometres"],
        "Plans": {"Trip": "Die Reise dauert zwei Wochen"},
    }


def test_a_correction_of_what_stood_nowhere_is_a_fact():
    found = picture(("correction", "The boat is blue, not red."))

    assert found.updated_scaffold == {"Facts": ["The boat is blue"]}

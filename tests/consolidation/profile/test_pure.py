"""The rules that need no database."""

from datetime import timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.profile.check import AnswerUnfit, capped, check_narrative, worth
from consolidation.profile.leaves.confidence import confidence
from consolidation.profile.leaves.contradict import are_contrary
from consolidation.profile.leaves.keys import joined, settled
from consolidation.profile.leaves.normalise import normalised
from consolidation.profile.parts.ageing import lasting, statement_of
from extraction.contracts.profile import (
    MOST_DEPTH,
    NarrativeSentence,
    ProfileUpdate,
    ScaffoldChange,
    nesting,
)
from knowledge.profile.pointers import built, escaped, is_under, keys_of, leaves, meets
from knowledge.profile.sureness import aged
from tests.patches import EVENT, NOW, patched

KEYS = st.text(max_size=6)
PLAIN = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20)
JSON = st.recursive(
    PLAIN, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3)
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=4)


@pytest.mark.requirement("TS-28")
@given(JSON)
def test_unwrapping_twice_is_unwrapping_once(value):
    once = normalised(value)

    assert normalised(once) == once


@pytest.mark.requirement("TS-28")
@given(OBJECTS)
def test_an_object_as_text_is_the_object(value):
    text = orjson.dumps(value).decode()
    if nesting(value) < MOST_DEPTH and "\\u0000" not in text:
        assert normalised({"a": text}) == normalised({"a": value})


@pytest.mark.requirement("TS-29")
@given(st.integers().map(str) | st.floats().map(str) | st.sampled_from(["true", "null", "-1e3"]))
def test_a_number_or_a_boolean_in_a_text_stays_a_text(text):
    assert normalised({"a": [text]}) == {"a": [text]}


def test_what_is_nested_too_deep_or_no_json_stays_a_text():
    deep = "[" * 500 + "]" * 500
    for text in (deep, "{not json}", '{"a": "\\u0000"}', "[1e999]", "{"):
        assert normalised(text) == text


def after(data: dict, *changes: dict) -> dict:
    return patched(data, [ScaffoldChange(**{"refs": ["ob-1"], **change}) for change in changes])


def plain(data: dict, patch: dict) -> dict:
    said = {"updated_scaffold": patch, "updated_working_memory": "A.", "facts_to_embed": []}
    return patched(data, ProfileUpdate.model_validate(said).updated_scaffold)


@pytest.mark.requirement("TS-27")
@given(OBJECTS, st.dictionaries(st.text("xyz", min_size=1, max_size=3), JSON, max_size=4))
def test_a_key_that_a_patch_leaves_out_stays_as_it_is(base, patch):
    base = {f"k{key}": value for key, value in base.items()}

    found = plain(base, patch)

    assert {key: found[key] for key in base} == base


def test_members_come_and_go_and_no_list_is_replaced():
    data = {"Likes": ["tea", "figs"]}

    assert after(data, {"op": "add", "path": "/Likes", "value": "rain"}) == {
        "Likes": ["tea", "figs", "rain"]
    }
    assert after(data, {"op": "set", "path": "/Likes", "value": ["rain"]}) == {
        "Likes": ["tea", "figs", "rain"]
    }
    assert after(data, {"op": "remove", "path": "/Likes", "value": ["tea"]}) == {"Likes": ["figs"]}
    assert after(data, {"op": "add", "path": "/Likes", "value": ["Tea."]}) == data
    assert after(data, {"op": "remove", "path": "/Likes"}) == {}


def test_a_key_is_renamed_with_all_below_it_and_joins_the_list_that_is_there():
    data = {"home": {"City": "Lyon"}, "Likes": ["tea"], "Likings": ["figs"]}

    found = after(
        data,
        {"op": "rename", "path": "/home", "to": "/Places/Home"},
        {"op": "rename", "path": "/Likings", "to": "/Likes"},
        {"op": "rename", "path": "/Likes", "to": "/Places/Home/City"},
    )

    assert found == {"Places": {"Home": {"City": "Lyon"}}, "Likes": ["tea", "figs"]}


def test_a_key_is_used_again_however_it_is_spelt():
    known = ["/Home City/Street", "/Pets"]

    assert settled("/home_city/House", known) == "/Home City/House"
    assert settled("/PETS/Dog", known) == "/Pets/Dog"
    assert settled("/Boats", known) == "/Boats"
    assert joined(["Tea"], ["tea.", "figs"]) == ["Tea", "figs"]


def test_a_change_of_no_use_costs_itself_alone():
    found = after(
        {"Name": "Alice"},
        {"op": "set", "path": "/Age", "value": "34", "refs": ["w9"]},
        {"op": "add", "path": "/Name/First", "value": None},
        {"op": "rename", "path": "/Nowhere", "to": "/Name"},
        {"op": "set", "path": "/Home", "value": "Lyon"},
    )

    assert found == {"Name": "Alice", "Home": "Lyon"}


@pytest.mark.parametrize(
    ("old", "new", "is_contrary"),
    [
        ("Engineering manager", "Engineering manager at Acme", False),
        ("vegetarian", "not vegetarian", True),
        ("Lyon", "Berlin", True),
        (["tea"], ["tea", "figs"], False),
        (["tea"], ["figs"], True),
        ("", "Lyon", False),
        (8, 9, True),
    ],
)
def test_what_says_more_denies_nothing(old, new, is_contrary):
    assert are_contrary(old, new) is is_contrary


@given(OBJECTS)
def test_an_object_is_built_from_its_leaves_again(data):
    assert built(leaves(data)) == data
    for path in leaves(data):
        assert "/" + "/".join(map(escaped, keys_of(path))) == path


def test_pointers_meet_above_and_below():
    assert is_under("/a/b", "/a")
    assert not is_under("/ab", "/a")
    assert meets("/a", ["/a/b"])
    assert not meets("/a/c", ["/a/b"])
    with pytest.raises(ValueError, match="slash"):
        keys_of("a")


@pytest.mark.requirement("TS-04")
@given(st.text(max_size=400), st.integers(1, 20))
def test_a_capped_text_is_within_its_words_and_begins_the_text(text, most):
    found = capped(text, most)

    assert worth(found) <= most
    if found and len(found.split()) > 1:
        assert text.split()[: len(found.split()) - 1] == found.split()[:-1]


@pytest.mark.parametrize(
    ("text", "most", "found"),
    [
        ("One two. Three four.", 3, "One two."),
        ("one two three four", 3, "one two three"),
        ("一二三四。五六七八。", 3, "一二三四。"),
        ("一二三四五六七八", 3, "一二三四五六"),
        ("Привет мир. Как дела?", 2, "Привет мир."),
    ],
)
def test_a_cut_is_at_the_end_of_a_sentence_in_any_script(text, most, found):
    assert capped(text, most) == found


def test_an_empty_narrative_is_refused_only_where_there_was_one():
    check_narrative([], "")
    with pytest.raises(AnswerUnfit):
        check_narrative([], "Alice.")


def test_what_grows_too_large_once_unwrapped_is_left_out_alone():
    long = orjson.dumps(list(range(3_000))).decode()
    deep = {"b" * 90: {"c" * 90: {"d" * 90: {"e" * 90: {"f" * 90: 1}}}}}

    assert plain({}, {"a": long, "a" * 90: deep, "Home": "Lyon"}) == {"Home": "Lyon"}


def sure(**fields) -> float:
    usual = {"channel": "interactive", "occasions": 1, "is_correction": False, "basis": "stated"}
    return confidence(**{**usual, **fields})


@pytest.mark.requirement("TS-78")
def test_confidence_follows_its_formula():
    assert sure() == 0.7
    assert sure(occasions=3) == 0.892
    assert sure(is_correction=True) == 0.85
    assert sure(channel="tool") == 0.55
    assert sure(channel="autonomous") == 0.5
    assert sure(basis="implied") == 0.4
    assert sure(basis="unnamed") == 0.3
    assert sure(channel="person") == 1.0
    assert sure(occasions=10**6) == 0.99


@pytest.mark.requirement("TS-78")
def test_what_nobody_bore_out_for_years_is_less_sure():
    then = NOW - timedelta(days=730)

    assert aged(0.7, "interactive", then, NOW) == 0.35
    assert aged(0.7, "interactive", NOW, then) == 0.7
    assert aged(1.0, "person", then, NOW) == 1.0
    assert aged(0.7, "tool", NOW - timedelta(days=99_999), NOW) == 0.05


def dated(text: str, days: float) -> dict:
    at = (NOW + timedelta(days=days)).isoformat()
    return {"text": text, "since": at, "confirmed_at": at}


@pytest.mark.requirement("TS-79")
def test_a_sentence_is_as_old_as_what_it_stands_on():
    old = {"w1": dated("Alice sits an exam.", -200)}
    events = {"ob-1": EVENT}

    named = statement_of(
        "The exam is ahead.", NarrativeSentence(text="-", refs=["w1"]), old, events, NOW
    )
    alike = statement_of("Alice sits her exam.", NarrativeSentence(text="-"), old, events, NOW)
    again = statement_of(
        "Exam!", NarrativeSentence(text="-", refs=["w1", "ob-1"]), old, events, NOW
    )
    new = statement_of("Bees.", NarrativeSentence(text="-", refs=["ob-1"]), old, events, NOW)

    assert named["confirmed_at"] == alike["confirmed_at"] == old["w1"]["confirmed_at"]
    assert (again["since"], again["confirmed_at"]) == (old["w1"]["since"], NOW.isoformat())
    assert new["since"] == NOW.isoformat()
    assert lasting([named, new], 30, NOW) == [new]
    assert lasting([named, new], None, NOW) == [named, new]

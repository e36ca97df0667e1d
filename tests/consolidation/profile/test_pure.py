"""The rules that need no database."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.profile.check import (
    AnswerUnfit,
    capped,
    checked_narrative,
    checked_scaffold,
    worth,
)
from consolidation.profile.leaves.confidence import confidence
from consolidation.profile.leaves.merge import allowed, merged
from consolidation.profile.leaves.normalise import normalised
from consolidation.profile.parts.ageing import lasting, statements_of
from extraction.contracts.profile import MOST_DEPTH, ProfileUpdate, nesting
from knowledge.profile.pointers import built, escaped, is_under, keys_of, leaves, meets

NOW = datetime(2026, 5, 8, tzinfo=UTC)
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


@pytest.mark.requirement("TS-27")
@given(OBJECTS, OBJECTS)
def test_every_leaf_is_the_patchs_or_the_bases(base, patch):
    found = merged(base, patch)

    for key, value in base.items():
        if key not in patch:
            assert found[key] == value
    for key, value in patch.items():
        if value is None:
            assert key not in found
        elif not isinstance(value, dict):
            assert found[key] == value
        else:
            assert isinstance(found[key], dict)
    assert merged(found, patch) == found


@given(OBJECTS)
def test_nothing_and_oneself_change_nothing(base):
    assert merged(base, {}) == base
    assert allowed(base, []) == base
    assert allowed(base, ["never a key of six"]) == {}


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
    assert checked_narrative(" ", "", 500) == ""
    with pytest.raises(AnswerUnfit):
        checked_narrative(" ", "Alice.", 500)


@pytest.mark.parametrize(
    "scaffold",
    [
        {"a": orjson.dumps(list(range(3_000))).decode()},
        {"a" * 90: {"b" * 90: {"c" * 90: {"d" * 90: {"e" * 90: {"f" * 90: 1}}}}}},
    ],
)
def test_what_grows_too_large_once_unwrapped_is_refused(scaffold):
    said = ProfileUpdate(updated_scaffold=scaffold, updated_working_memory="A.", facts_to_embed=[])

    with pytest.raises(AnswerUnfit) as caught:
        checked_scaffold(said)

    assert caught.value.code == "scaffold_unfit"


def sure(**fields) -> float:
    usual = {"channel": "interactive", "evidence": 1, "is_correction": False, "is_quoted": True}
    return confidence(**{**usual, "days": 0.0, **fields})


@pytest.mark.requirement("TS-78")
def test_confidence_follows_its_formula():
    assert sure() == 0.7
    assert sure(evidence=3) == 0.892
    assert sure(is_correction=True) == 0.85
    assert sure(channel="tool") == 0.55
    assert sure(channel="autonomous") == 0.5
    assert sure(is_quoted=False) == 0.3
    assert sure(days=730) == 0.35
    assert sure(channel="person", days=9_999) == 1.0
    assert sure(days=1e6) == 0.05
    assert sure(evidence=10**6) == 0.99


@pytest.mark.requirement("TS-79")
def test_a_sentence_goes_on_from_the_one_that_said_the_same():
    first = statements_of("Alice keeps bees. She sails.", (), (), NOW)
    later = statements_of("Alice keeps many bees. He is new.", first, (), NOW + timedelta(days=9))

    assert [one["since"] for one in later] == [
        NOW.isoformat(),
        (NOW + timedelta(days=9)).isoformat(),
    ]
    assert lasting(later, None, NOW + timedelta(days=99)) == later
    assert lasting(later, 5, NOW + timedelta(days=10)) == later[1:]

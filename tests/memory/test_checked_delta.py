import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.deltas import (
    FIELDS,
    KEY_CHARACTERS,
    MOST_ITEMS,
    TEXT_CHARACTERS,
    VALUE_CHARACTERS,
    DeltaInvalid,
    DeltaMode,
    SummaryDelta,
    SummaryFact,
    checked,
)

EVENT, OTHER, SESSION = "ev-" + "1" * 32, "ev-" + "2" * 32, "a-session"
FACT = {"key": "city", "value": "Graz", "source_event": EVENT}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
# Deltas that are nearly right: known fields, each with something that may fit.
NEARLY = st.fixed_dictionaries(
    {"mode": st.sampled_from(["append", "overwrite", "", None, []])},
    optional={
        name: st.just([]) | st.just(FACT) | st.just([EVENT]) | st.just({"key": "city"}) | JSON
        for name in sorted(FIELDS - {"mode"})
    },
)


def check(**fields):
    delta = {"mode": "append", **fields}
    return checked({"memory_delta": delta}, events={EVENT, OTHER}, sessions={SESSION})


def refused(**fields) -> bool:
    try:
        check(**fields)
    except DeltaInvalid:
        return True
    return False


@pytest.mark.requirement("CH-26")
def test_a_whole_delta_is_read():
    delta = check(
        mode="overwrite",
        summary_update="Alice moved.",
        add_references=[EVENT, SESSION],
        remove_references=[OTHER],
        add_fact=FACT,
        remove_fact=[{"key": "street"}, {"key": "zip"}],
    )

    assert delta == SummaryDelta(
        mode=DeltaMode.OVERWRITE,
        update="Alice moved.",
        add_references=(EVENT, SESSION),
        remove_references=(OTHER,),
        add_facts=(SummaryFact("city", "Graz", EVENT),),
        remove_facts=("street", "zip"),
    )


@pytest.mark.parametrize("empty", [{}, [], None, [{}], [None]])
def test_an_empty_fact_stands_for_none(empty):
    delta = check(add_fact=empty, remove_fact=empty)

    assert (delta.add_facts, delta.remove_facts) == ((), ())


@pytest.mark.requirement("CH-26")
@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        "memory_delta",
        {},
        {"memory_delta": None},
        {"memory_delta": [{"mode": "append"}]},
        {"memory_delta": {"mode": "append"}, "why": "because"},
        {"memory_delta": {"mode": "append", "rewrite": "all of it"}},
        {"memory_delta": {}},
    ],
)
def test_it_refuses_what_is_not_one_delta(reply):
    with pytest.raises(DeltaInvalid):
        checked(reply, events={EVENT})


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "replace"},
        {"mode": []},
        {"summary_update": None},
        {"summary_update": "x" * (TEXT_CHARACTERS + 1)},
        {"summary_update": "nul \x00"},
        {"summary_update": "half \ud800"},
        {"add_references": EVENT},
        {"add_references": [EVENT] * (MOST_ITEMS + 1)},
        {"remove_references": [7]},
        {"remove_references": ["x" * (KEY_CHARACTERS + 1)]},
        {"add_fact": "city"},
        {"add_fact": {"key": "city", "value": "Graz"}},
        {"add_fact": FACT | {"why": "said so"}},
        {"add_fact": FACT | {"key": ""}},
        {"add_fact": FACT | {"value": 7}},
        {"add_fact": FACT | {"value": "x" * (VALUE_CHARACTERS + 1)}},
        {"add_fact": [FACT] * (MOST_ITEMS + 1)},
        {"remove_fact": "city"},
        {"remove_fact": {"key": "city", "value": "Graz"}},
        {"remove_fact": {"key": None}},
    ],
)
def test_it_refuses_a_field_that_does_not_fit(fields):
    assert refused(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"summary_update": "x" * TEXT_CHARACTERS},
        {"add_fact": [FACT | {"value": "x" * VALUE_CHARACTERS}] * MOST_ITEMS},
        {"remove_references": ["x" * KEY_CHARACTERS] * MOST_ITEMS},
    ],
)
def test_what_is_at_its_limit_fits(fields):
    assert not refused(**fields)


@pytest.mark.requirement("CH-28")
def test_a_reference_to_nothing_known_refuses_the_whole():
    assert refused(summary_update="fine", add_references=[EVENT, "ev-" + "9" * 32])
    assert not refused(remove_references=["ev-" + "9" * 32])


def test_a_fact_comes_from_an_event_and_not_from_a_session():
    assert refused(add_fact=FACT | {"source_event": SESSION})


@given(JSON)
def test_any_value_is_a_delta_or_refused(reply):
    for candidate in (reply, {"memory_delta": reply}):
        try:
            found = checked(candidate, events={EVENT})
        except DeltaInvalid:
            continue
        assert isinstance(found, SummaryDelta)


@given(NEARLY)
def test_what_passes_names_only_what_is_known(delta):
    try:
        found = checked({"memory_delta": delta}, events={EVENT})
    except DeltaInvalid:
        return
    assert set(found.add_references) <= {EVENT}
    assert {fact.source_event for fact in found.add_facts} <= {EVENT}
    assert len(found.update) <= TEXT_CHARACTERS


def test_the_reason_quotes_nothing():
    with pytest.raises(DeltaInvalid) as refusal:
        check(add_fact={"key": "the secret trout"})

    assert "trout" not in str(refusal.value)

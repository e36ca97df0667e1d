from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.deltas import DeltaMode, SummaryContent, SummaryDelta, SummaryFact, applied

NAMES = st.sampled_from(["a", "b", "c", "d"])
LISTED = st.lists(NAMES, unique=True).map(tuple)
FACTS = st.lists(
    st.builds(SummaryFact, key=NAMES, value=st.text(max_size=4), source_event=NAMES),
    unique_by=lambda fact: fact.key,
).map(tuple)
SUMMARIES = st.builds(
    SummaryContent,
    text=st.text(max_size=8),
    facts=FACTS,
    sessions=LISTED,
    events=LISTED,
    version=st.integers(0, 9),
)
DELTAS = st.builds(
    SummaryDelta,
    mode=st.sampled_from(DeltaMode),
    update=st.text(max_size=8),
    add_references=LISTED,
    remove_references=LISTED,
    add_facts=FACTS,
    remove_facts=LISTED,
)
OLD = SummaryContent("Alice bakes.", (SummaryFact("city", "Graz", "ev-1"),), ("s-1",), ("ev-1",), 3)
APPEND, OVERWRITE = SummaryDelta(DeltaMode.APPEND), SummaryDelta(DeltaMode.OVERWRITE)


@pytest.mark.requirement("CH-27")
def test_append_adds_a_line_and_overwrite_replaces_the_text_alone():
    appended = applied(OLD, replace(APPEND, update="Bob paints."))
    overwritten = applied(OLD, replace(OVERWRITE, update="Bob paints."))

    assert appended == replace(OLD, text="Alice bakes.\nBob paints.", version=4)
    assert overwritten == replace(OLD, text="Bob paints.", version=4)


def test_the_first_line_has_none_before_it():
    assert applied(SummaryContent(), replace(APPEND, update="Bob paints.")).text == "Bob paints."


@pytest.mark.requirement("CH-28")
def test_references_are_sets_in_the_order_of_their_addition():
    delta = replace(
        APPEND, add_references=("ev-9", "ev-1", "s-2"), remove_references=("s-1", "absent")
    )

    changed = applied(OLD, delta, sessions={"s-2"})

    assert (changed.sessions, changed.events) == (("s-2",), ("ev-1", "ev-9"))


@pytest.mark.requirement("CH-29")
def test_a_fact_is_replaced_by_its_key_and_removed_by_it():
    moved, named = SummaryFact("city", "Linz", "ev-2"), SummaryFact("name", "Alice", "ev-3")

    changed = applied(OLD, replace(APPEND, add_facts=(moved, named)))

    assert changed.facts == (moved, named)
    assert applied(changed, replace(APPEND, remove_facts=("city", "absent"))).facts == (named,)


def test_removals_come_before_additions():
    again = SummaryFact("city", "Linz", "ev-2")
    delta = replace(
        APPEND,
        add_references=("ev-1",),
        remove_references=("ev-1",),
        add_facts=(again,),
        remove_facts=("city",),
    )

    changed = applied(OLD, delta)

    assert (changed.events, changed.facts) == (("ev-1",), (again,))


@given(SUMMARIES, st.sampled_from(DeltaMode))
def test_a_delta_without_content_changes_the_version_alone(summary, mode):
    assert applied(summary, SummaryDelta(mode)) == replace(summary, version=summary.version + 1)


@given(SUMMARIES, DELTAS, st.sets(NAMES))
def test_what_a_delta_does_not_name_stays_in_its_place(summary, delta, sessions):
    changed = applied(summary, delta, sessions=sessions)

    touched = {fact.key for fact in delta.add_facts} | set(delta.remove_facts)
    named = {*delta.add_references, *delta.remove_references}
    assert [fact for fact in changed.facts if fact.key not in touched] == [
        fact for fact in summary.facts if fact.key not in touched
    ]
    for old, new in ((summary.sessions, changed.sessions), (summary.events, changed.events)):
        assert [one for one in new if one not in named] == [one for one in old if one not in named]


@given(SUMMARIES, DELTAS, st.sets(NAMES))
def test_what_a_delta_adds_is_there_once(summary, delta, sessions):
    changed = applied(summary, delta, sessions=sessions)

    keys = [fact.key for fact in changed.facts]
    assert len(keys) == len(set(keys))
    assert set(delta.add_facts) <= set(changed.facts)
    for listed in (changed.sessions, changed.events):
        assert len(listed) == len(set(listed))
    assert set(delta.add_references) <= {*changed.sessions, *changed.events}


@given(SUMMARIES, DELTAS)
def test_appending_keeps_every_character(summary, delta):
    changed = applied(summary, replace(delta, mode=DeltaMode.APPEND))

    assert changed.text.startswith(summary.text)
    assert changed.text.endswith(delta.update)

from datetime import UTC, datetime

import pytest

from memory.chunking import CHUNKERS, ChunkedEvent, blocks

WHEN = datetime(2026, 5, 8, tzinfo=UTC)


def said(seq: int, **fields) -> ChunkedEvent:
    return ChunkedEvent(seq=seq, speaker="user", text=f"words {seq}", occurred_at=WHEN, **fields)


def shape(events):
    return [(block.kind, [one.seq for one in block.events]) for block in blocks(events)]


@pytest.mark.requirement("CH-50")
def test_a_tool_call_and_its_results_are_one_block():
    events = [
        said(1),
        said(2, calls=frozenset({"a", "b"})),
        said(3, answers="a"),
        said(4, answers="b"),
        said(5),
    ]

    assert shape(events) == [("fixed", [1]), ("tool_sequence", [2, 3, 4]), ("fixed", [5])]


@pytest.mark.requirement("CH-50")
def test_events_of_a_skill_phase_are_one_block():
    events = [said(1, skill_phase="plan"), said(2, skill_phase="plan"), said(3, skill_phase="act")]

    assert shape(events) == [("skill_phase", [1, 2]), ("skill_phase", [3])]


def test_a_result_of_another_call_stands_alone():
    events = [said(1, calls=frozenset({"a"})), said(2, answers="z")]

    assert shape(events) == [("tool_sequence", [1]), ("fixed", [2])]


def test_each_event_is_in_exactly_one_block():
    events = [said(seq, skill_phase="x" if seq % 3 else "") for seq in range(1, 20)]

    found = [one.seq for block in blocks(events) for one in block.events]

    assert found == list(range(1, 20))


def test_several_events_name_their_speakers():
    (block,) = blocks([said(1, skill_phase="plan"), said(2, skill_phase="plan")])

    assert block.text == "user: words 1\nuser: words 2"


@pytest.mark.parametrize("rule", [rule for _, rule in CHUNKERS])
@pytest.mark.parametrize("fields", [{}, {"skill_phase": "x"}, {"calls": frozenset({"a"})}])
def test_every_chunker_takes_no_more_than_there_is(rule, fields):
    events = [said(1, **fields), said(2)]

    assert 0 <= rule(events) <= len(events)

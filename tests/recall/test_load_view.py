import pytest

from consolidation.intake import accept_events
from memory.budget import estimate_message
from memory.messages import draft_of
from memory.models import Event, Session
from recall.view import load_view, measure
from tests.factories import make_session, said

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


@pytest.fixture
def session(porter) -> Session:
    opened = make_session(porter)
    drafts = [said(f"line {number}") for number in range(1, 7)]
    accept_events(agent=porter, session=opened, drafts=drafts)
    return Session.objects.select_related("owner__agent__organization").get(pk=opened.pk)


def numbers(view) -> list[int]:
    return [event.seq for event in view.events]


def test_shown_is_what_follows_the_start_and_what_was_kept(session):
    session.windows.filter(lane="edge").update(start_seq=5, kept=[2])

    assert numbers(load_view(session, "edge")) == [2, 5, 6]


def test_a_bound_keeps_the_newest_in_their_order(session):
    assert numbers(load_view(session, "edge", most=2)) == [5, 6]


def test_an_erased_event_is_not_shown(session):
    Event.objects.filter(seq=3).update(payload=None, salt=None)

    assert numbers(load_view(session, "edge")) == [1, 2, 4, 5, 6]


def test_the_other_lane_is_another_view(session):
    assert numbers(load_view(session, "core")) == []


def test_the_measure_counts_fixed_texts_and_summary(session):
    window = session.windows.get(lane="edge")
    bare = measure(session, window)
    window.summary_tokens, window.calibration = 10, 1.5

    view = measure(session, window)

    assert bare.fixed == estimate_message("Be brief.")
    assert view.fixed == bare.fixed + 10
    assert (view.limit, view.last_seq, view.calibration) == (128_000, 6, 1.5)


def test_calls_and_answers_are_measured_with_their_ids(session, porter):
    call = draft_of({"role": "assistant", "tool_calls": [CALL]})
    answer = draft_of({"role": "tool", "content": "sunny", "tool_call_id": "c1"})
    accept_events(agent=porter, session=session, drafts=[call, answer])

    window = session.windows.get(lane="edge")
    asked, answered = measure(session, window).shown[-2:]

    assert (asked.calls, answered.answers) == (frozenset({"c1"}), "c1")


def test_a_summary_takes_at_most_half_of_what_the_fixed_texts_leave(session):
    window = session.windows.get(lane="edge")
    window.summary_tokens = 1_000_000

    fixed = estimate_message("Be brief.")
    assert measure(session, window).fixed == fixed + (128_000 - fixed) // 2

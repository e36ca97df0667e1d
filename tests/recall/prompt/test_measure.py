import pytest

from consolidation.intake.accept import accept_events
from memory.budget import estimate_message
from memory.messages import draft_of
from memory.models import Event, Session
from recall.prompt.account import prompt_budget, summary_room, tool_tokens
from recall.prompt.tools import offered_tools
from recall.prompt.view import load_view, measure, shown
from tests.factories import make_session, said

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


@pytest.fixture
def session(porter) -> Session:
    opened = make_session(porter)
    call = draft_of({"role": "assistant", "tool_calls": [CALL]})
    answer = draft_of({"role": "tool", "content": "sunny", "tool_call_id": "c1"})
    accept_events(agent=porter, session=opened, drafts=[said("weather?"), call, answer])
    return Session.objects.select_related("owner__agent__organization").get(pk=opened.pk)


def offered(session) -> int:
    return tool_tokens(offered_tools(session.owner.agent, "edge", budget=128_000))


def test_it_measures_what_the_prompt_shows(session):
    Event.objects.filter(seq=1).update(payload=None, salt=None)
    view = measure(session, session.windows.get(lane="edge"))

    assert view.shown == [shown(event) for event in load_view(session, "edge").events]
    assert [one.seq for one in view.shown] == [2, 3]


def test_calls_and_answers_are_measured_with_their_ids(session):
    _, asked, answered = measure(session, session.windows.get(lane="edge")).shown

    assert (asked.calls, answered.answers) == (frozenset({"c1"}), "c1")


def test_fixed_texts_and_the_summary_count(session):
    session.windows.filter(lane="edge").update(summary_tokens=70, calibration=1.5)

    view = measure(session, session.windows.get(lane="edge"))

    assert view.fixed == estimate_message("Be brief.") + offered(session) + 70
    assert (view.limit, view.last_seq, view.calibration) == (128_000, 3, 1.5)


def test_a_summary_counts_no_more_than_the_room_it_may_take(session):
    session.windows.filter(lane="edge").update(summary_tokens=10**6)

    view = measure(session, session.windows.get(lane="edge"))

    fixed = estimate_message("Be brief.") + offered(session)
    assert view.fixed == fixed + summary_room(prompt_budget(128_000, None, 1.0) - fixed)


def test_where_nothing_is_left_a_summary_has_no_room():
    assert summary_room(-5) == 0

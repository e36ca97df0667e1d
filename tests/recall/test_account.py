"""The account of a prompt is the prompt, and what has no place in it has a name."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consolidation.intake.accept import accept_events
from knowledge.saved_facts.save import NewFact, save_facts
from memory.budget import estimate_message
from memory.deltas import DeltaMode, SummaryDelta, SummaryFact
from memory.messages import draft_of, text_of
from memory.models import LaneWindow, Session
from memory.summaries import apply_delta
from memory.tokenizer import count_message
from recall.errors import BudgetTooSmall
from recall.prompt.account import tool_tokens
from recall.prompt.assembly import Composed, assemble_context, compose
from recall.prompt.given import NOTHING_GIVEN
from recall.prompt.view import measure
from tests.contracts.stores import fact, rule
from tests.factories import WHEN, make_agent, make_ended_session, make_session, said
from tests.recall.learned import keep

WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


def talked(events, memories, facts, tools) -> Session:
    """Return a session of so many turns, every third with a tool call, with memory around it."""
    agent = make_agent(f"agent {LaneWindow.objects.count()}", behaviour="Be brief.")
    agent.tools = [WEATHER] * tools
    agent.save()
    if memories:
        make_ended_session(agent, [f"My cat number {n} eats trout." for n in range(memories)])
    session = make_session(agent)
    keep(session.owner, *(fact(f"cat {n} is grey") for n in range(memories)), rule("Be kind."))
    saved = [NewFact(f"town {n}", f"number {n}") for n in range(facts)]
    save_facts(owner=session.owner, facts=saved, session=None, source="tool")
    stored = [accept_events(agent=agent, session=session, drafts=turn(n))[0] for n in range(events)]
    if facts:
        source = stored[0][0].reference
        kept = tuple(SummaryFact(f"street {n}", "is long", source) for n in range(facts))
        delta = SummaryDelta(DeltaMode.APPEND, update="Alice has cats.", add_facts=kept)
        apply_delta(window=session.windows.get(lane="edge"), delta=delta, version=0)
    return session


def turn(number):
    if number % 3:
        words = "a word or two " * (number % 7)
        return [said(f"question {number} about my cat {words}"), said(words or "Yes.", "assistant")]
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "weather", "arguments": "{}"},
    }
    return [
        said(f"weather {number}?"),
        draft_of({"role": "assistant", "tool_calls": [call]}),
        draft_of({"role": "tool", "content": "sunny " * number, "tool_call_id": f"c{number}"}),
    ]


def composed(session, budget) -> Composed:
    return compose(
        session=session, query=None, max_tokens=budget, lane="edge", given=NOTHING_GIVEN, now=WHEN
    )


@pytest.mark.requirement("CH-41")
@pytest.mark.requirement("OL-02")
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    budget=st.integers(150, 6_000),
    events=st.integers(1, 25),
    memories=st.integers(0, 12),
    facts=st.integers(0, 40),
    tools=st.integers(0, 3),
)
def test_the_account_is_the_prompt_and_every_event_is_in_it_or_named(
    db, budget, events, memories, facts, tools
):
    session = talked(events, memories, facts, tools)
    try:
        made = composed(session, budget)
    except BudgetTooSmall:
        return

    account = made.account
    system = [one for one in made.messages if one["role"] == "system"]
    spoken = [one for one in made.messages if one["role"] != "system"]
    assert account.window == sum(estimate_message(text_of(one)) for one in spoken)
    blocks = account.fixed + account.standing + account.summary + account.turn
    assert blocks == sum(count_message(str(one["content"])) for one in system)
    assert account.tools == tool_tokens(made.tools)
    assert account.total <= account.budget <= budget
    stretches = [one for one in made.window_left_out if one["store"] == "events"]
    named = {
        seq for one in stretches for seq in range(int(str(one["first"])), int(str(one["last"])) + 1)
    }
    shown = {event.seq for event in made.window}
    assert shown | named == set(
        range(1, LaneWindow.objects.get(session=session, lane="edge").last_seq + 1)
    )


def test_what_decides_when_to_compact_counts_what_the_last_prompt_held(db):
    session = talked(12, 12, 20, 1)
    prompt = assemble_context(session=session, max_tokens=4_000, now=WHEN)
    made = composed(session, 4_000)

    view = measure(session, session.windows.get(lane="edge"))

    account = made.account
    always = account.tools + account.fixed + account.standing
    assert prompt.tokens == account.total
    assert view.budget == account.budget == 4_000
    assert view.fixed >= always
    assert view.fixed - always <= 0.1 * 4_000


def test_the_beginning_of_a_prompt_stays_as_it_is_from_turn_to_turn(db):
    session = talked(6, 12, 20, 1)
    before = composed(session, 6_000).messages
    accept_events(agent=session.owner.agent, session=session, drafts=turn(7))

    after = composed(session, 6_000).messages

    place = next(n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1])
    assert str(before[place]["content"]).startswith("Time: ")


def test_the_answer_names_what_had_no_room(api, db):
    session = talked(12, 0, 0, 0)

    answer = assemble_context(session=session, max_tokens=300, now=WHEN)

    [stretch] = [one for one in answer.left_out if one["store"] == "events"]
    assert stretch["first"] == 1
    assert stretch["cut"] == stretch["last"]

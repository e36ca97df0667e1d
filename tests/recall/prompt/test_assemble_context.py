import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consolidation.intake.accept import accept_events
from memory.deltas import DeltaMode, SummaryDelta, SummaryFact
from memory.messages import draft_of
from memory.summaries import apply_delta
from providers.quoting import visible
from recall.errors import BudgetTooSmall
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.prompt.blocks.envelope import render
from tests.factories import WHEN, make_agent, make_ended_session, make_session, said

CLOCK = "Time: 2026-05-08T09:30Z"
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


def context(session, query=None, max_tokens=None):
    return assemble_context(session=session, query=query, max_tokens=max_tokens, now=WHEN)


@pytest.mark.requirement("CH-31")
@pytest.mark.requirement("CH-35")
@pytest.mark.requirement("TS-45")
def test_the_parts_of_an_edge_prompt_stand_in_their_order(db):
    skills = [{"name": "baking", "description": "bakes bread", "schema": {"secret": 1}}]
    agent = make_agent("baker", behaviour="Be brief.", soul="You are warm.", skills=skills)
    agent.organization.user_text = "The users are bakers."
    agent.organization.save()
    session = make_session(agent)
    accept_events(agent=agent, session=session, drafts=[said("hello"), said("hi", "assistant")])

    prompt = context(session)

    assert [message["content"] for message in prompt.messages] == [
        "Be brief.\n\nSkills:\n- baking: bakes bread",
        "The users are bakers.",
        "You are warm.",
        CLOCK,
        "hello",
        "hi",
    ]
    assert [message["role"] for message in prompt.messages[:4]] == ["system"] * 4


def test_memory_stands_between_identity_and_window_with_its_receipt(porter):
    make_ended_session(porter, ["My cat only eats trout."])
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("What does my cat eat?")])

    prompt = context(session)

    behaviour, memory, question = prompt.messages
    assert behaviour["content"] == "Be brief."
    assert "My cat only eats trout." in str(memory["content"])
    assert question["content"] == "What does my cat eat?"
    receipt = Receipt.objects.get(pk=prompt.receipt)
    assert receipt.kind == "context"
    assert len(receipt.items) == 1


@pytest.mark.parametrize("budget", [40, 60, 100, 200, 400, 1000])
def test_a_prompt_stays_within_its_budget(porter, budget):
    make_ended_session(porter, [f"my cat {number} only eats trout" for number in range(30)])
    session = make_session(porter)
    drafts = [said(f"cat question {number}") for number in range(30)]
    accept_events(agent=porter, session=session, drafts=drafts)

    prompt = context(session, max_tokens=budget)

    assert prompt.tokens <= budget
    assert prompt.messages[-1]["content"] == "cat question 29"


def test_it_says_when_the_fixed_parts_do_not_fit(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("x" * 400)])

    with pytest.raises(BudgetTooSmall):
        context(session, max_tokens=50)


def test_a_tool_call_never_stands_without_its_results(porter):
    session = make_session(porter)
    call = draft_of({"role": "assistant", "tool_calls": [CALL]})
    result = draft_of({"role": "tool", "content": "sunny " * 50, "tool_call_id": "c1"})
    accept_events(
        agent=porter, session=session, drafts=[said("weather?"), call, result, said("ok")]
    )

    for budget in range(30, 200, 10):
        roles = [message["role"] for message in context(session, max_tokens=budget).messages]
        assert ("tool" in roles) == ("assistant" in roles)


@pytest.mark.requirement("TS-46")
def test_no_memory_and_no_words_is_a_valid_prompt(porter):
    prompt = context(make_session(porter))

    assert prompt.messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "system", "content": CLOCK},
    ]


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_can_leave_its_envelope(text):
    line = json.dumps({"text": visible(text)}, ensure_ascii=False)
    line = line.replace("<", "\\u003c").replace(">", "\\u003e")

    rendered = render([line], nonce="n")

    assert rendered.count("</memory-n>") == 1
    inside = rendered.split("<memory-n>\n")[1].removesuffix("\n</memory-n>")
    assert json.loads(inside) == {"text": visible(text)}


def test_a_long_summary_loses_its_oldest_facts_before_its_text(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("hello")])
    seen = accept_events(agent=porter, session=session, drafts=[said("hi", "assistant")])[0]
    facts = [SummaryFact(f"town {n}", f"number {n}", seen[0].reference) for n in range(200)]
    delta = SummaryDelta(DeltaMode.APPEND, update="Alice bakes.", add_facts=tuple(facts))
    apply_delta(window=session.windows.get(lane="edge"), delta=delta, version=0)

    prompt = context(session, max_tokens=1_500)

    summary = prompt.messages[1]["content"]
    assert [one["store"] for one in prompt.left_out] == ["summary"]
    assert "Alice bakes." in summary
    assert "town 199" in summary
    assert "town 0:" not in summary

"""The core lane's prompt, and what no compaction takes out of either."""

import json

import pytest

from consolidation.compaction.request import request_compaction
from consolidation.intake.accept import accept_events
from memory.messages import Draft
from memory.models import Session
from recall.errors import BudgetTooSmall
from recall.prompt.assembly import assemble_context
from recall.prompt.view import measure
from tests.factories import WHEN, make_agent, make_session, run_jobs, said

TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


@pytest.fixture
def thinker(db, settings, tmp_path):
    """Return an agent with two lanes and every text filled."""
    settings.DATA_DIR = tmp_path
    agent = make_agent(
        "thinker",
        behaviour="Be quick.",
        soul="You are warm.",
        core_behaviour="Think hard.",
        core_soul="You are deep.",
        fleet="Others exist.",
        has_core_lane=True,
        skills=[{"name": "baking", "description": "bakes bread"}],
        tools=[TOOL],
        window_events=6,
    )
    agent.organization.user_text = "The users are bakers."
    agent.organization.save()
    return agent


def think(agent, turns=1):
    session = make_session(agent)
    job = Draft("CoreJobStart", {"content": "Plan the week."}, lane="core")
    accept_events(agent=agent, session=session, drafts=[job])
    for place in range(turns):
        drafts = [
            said(f"I prefer bread number {place} for breakfast.", lane="core"),
            said("Good.", "assistant", lane="core"),
            said(f"What about bread {place}?"),
            said("Fine.", "assistant"),
        ]
        accept_events(agent=agent, session=session, drafts=drafts)
    return session


def contents(session, lane):
    prompt = assemble_context(session=session, lane=lane)
    return [str(message["content"]) for message in prompt.messages]


@pytest.mark.requirement("CH-32")
@pytest.mark.requirement("CH-33")
def test_a_core_prompt_ends_with_the_job_and_holds_no_user_text(thinker):
    session = think(thinker)

    prompt = assemble_context(session=session, lane="core", now=WHEN)

    assert [(message["role"], message["content"]) for message in prompt.messages] == [
        ("system", "Think hard.\n\nSkills:\n- baking: bakes bread"),
        ("system", "You are deep."),
        ("system", "Time: 2026-05-08T09:30Z"),
        ("user", "I prefer bread number 0 for breakfast."),
        ("assistant", "Good."),
        ("system", "Plan the week."),
    ]


@pytest.mark.requirement("CH-32")
def test_the_summary_stands_between_identity_and_window(thinker):
    session = think(thinker, 6)
    run_jobs()

    texts = contents(session, "core")

    assert texts[1] == "You are deep."
    assert texts[2].startswith("MEMORY.md")
    assert texts[3].startswith("Summary of the earlier conversation.")
    assert texts[-3:-1] == ["I prefer bread number 5 for breakfast.", "Good."]
    assert texts[-4].startswith("Time: ")
    assert texts[-1] == "Plan the week."


@pytest.mark.requirement("CH-19")
@pytest.mark.requirement("CH-20")
@pytest.mark.requirement("CH-22")
def test_no_compaction_changes_what_is_fixed(thinker):
    session = think(thinker, 1)
    before = {lane: contents(session, lane) for lane in ("edge", "core")}
    for round_ in range(3):
        accept_events(
            agent=thinker,
            session=session,
            drafts=[
                said(f"I like {round_} more.", role, lane=lane)
                for lane in ("edge", "core")
                for role in ("user", "assistant", "user", "assistant", "user", "assistant")
            ],
        )
        for lane in ("edge", "core"):
            request_compaction(session=session, lane=lane, trigger="api")
        run_jobs()

    after = {lane: contents(session, lane) for lane in ("edge", "core")}
    assert after["edge"][:3] == before["edge"][:3]
    assert after["edge"][:3] == [
        "Be quick.\n\nSkills:\n- baking: bakes bread",
        "The users are bakers.",
        "You are warm.",
    ]
    assert after["core"][:2] == before["core"][:2]
    assert after["core"][-1] == "Plan the week."


@pytest.mark.requirement("CH-34")
@pytest.mark.parametrize("lane", ["edge", "core"])
def test_tools_go_beside_the_messages_and_into_none(thinker, lane):
    session = think(thinker)

    prompt = assemble_context(session=session, lane=lane)

    assert prompt.tools[0] == TOOL
    assert (len(prompt.tools) == 1) is (lane == "core")
    assert "weather" not in json.dumps(prompt.messages)


def test_tools_take_their_share_of_the_budget(thinker):
    session = think(thinker)
    before = assemble_context(session=session)
    thinker.tools = [TOOL] * 50
    thinker.save()
    session = Session.objects.select_related("owner__agent__organization").get(pk=session.pk)

    assert assemble_context(session=session).tokens > before.tokens + 50 * 10
    with pytest.raises(BudgetTooSmall):
        assemble_context(session=session, max_tokens=before.tokens + 50)
    assert measure(session, session.windows.get(lane="edge")).fixed > 50 * 10


@pytest.mark.requirement("OL-19")
def test_an_agent_with_one_lane_knows_of_the_others(thinker):
    thinker.has_core_lane = False
    thinker.save()

    assert contents(make_session(thinker), "edge")[1:3] == [
        "Others exist.",
        "The users are bakers.",
    ]


def test_without_a_budget_a_prompt_leaves_room_for_the_reply(thinker):
    thinker.context_tokens = 500
    thinker.save()
    session = make_session(thinker)
    drafts = [said("word " * 30) for _ in range(40)]
    accept_events(agent=thinker, session=session, drafts=drafts)

    assert 350 < assemble_context(session=session).tokens <= 450

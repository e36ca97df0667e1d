"""The job that looks for what comes back over a user's sessions."""

import pytest

from accounts.agents import configure_agent
from consolidation.deletion.forget import forget_item
from consolidation.intake.accept import accept_events, end_session
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import Job
from consolidation.profile.patterns import job as recurring
from knowledge.models import Arc, Pattern
from recall.tool_suggestions import suggest_tools
from tests.factories import WHEN, make_ended_session, make_session, run_jobs, said

CALL = {"id": "c1", "type": "function", "function": {"name": "train_times", "arguments": "{}"}}


def look(owner) -> None:
    run_job(queue.enqueue(kind=recurring.KIND, key=str(owner.pk)))


def travelled(agent, name: str, user="alice"):
    """Return an ended session in which the agent asked for the times of trains."""
    session = make_session(agent, user, external_id=name)
    drafts = [
        said("When does the next train to Porto leave?"),
        said("", "assistant", tool_calls=[CALL]),
        said("10:15", "tool", tool_call_id="c1"),
        said("At a quarter past ten.", "assistant"),
    ]
    accept_events(agent=agent, session=session, drafts=drafts)
    end_session(session=session, reason="explicit")
    run_jobs()
    session.refresh_from_db()
    return session


def arc_of(session, *themes: str, loops=()) -> Arc:
    return Arc.objects.create(
        owner=session.owner,
        session=session.pk,
        started_at=WHEN,
        ended_at=WHEN,
        turn_count=3,
        summary="They spoke.",
        themes=list(themes),
        open_loops=list(loops),
        write_timing="session_end",
        write_reason="arc",
        policy_version="1",
    )


@pytest.fixture
def alice(porter):
    """Return the owner of three sessions about the garden."""
    sessions = [make_ended_session(porter, [f"hello {number}"]) for number in range(3)]
    for session in sessions:
        arc_of(session, "garden planning")
    return sessions[0].owner


@pytest.mark.requirement("TS-82")
def test_a_theme_of_three_sessions_is_found_with_the_arcs_it_is_in(alice):
    look(alice)

    pattern = Pattern.objects.get()
    assert (pattern.owner, pattern.kind, pattern.key) == (alice, "theme", "garden planning")
    assert set(pattern.sources) == set(Arc.objects.values_list("pk", flat=True))
    assert set(pattern.sessions) == set(Arc.objects.values_list("session", flat=True))


def test_another_user_s_sessions_are_no_evidence(alice, porter):
    arc_of(make_ended_session(porter, ["hello"], user="bob"), "garden planning")
    Arc.objects.filter(owner=alice).first().delete()

    look(alice)

    assert not Pattern.objects.exists()


def test_looking_again_changes_nothing(alice):
    look(alice)
    before = Pattern.objects.values_list("pk", "sessions").get()

    look(alice)

    assert Pattern.objects.values_list("pk", "sessions").get() == before


def test_what_no_session_bears_out_any_more_goes(alice):
    look(alice)
    Arc.objects.all().update(themes=["trains"])

    look(alice)

    assert [one.key for one in Pattern.objects.all()] == ["trains"]


def test_forgetting_an_arc_takes_what_was_seen_in_it_at_once(alice):
    look(alice)

    forget_item(owner=alice, kind="arc", target=Arc.objects.first().pk, actor="alice")

    assert not Pattern.objects.exists()


def test_the_end_of_a_session_asks_for_the_job(porter):
    session = make_ended_session(porter, ["hello"])

    assert Job.objects.open().filter(kind="patterns", key=str(session.owner_id)).count() == 1


def test_an_agent_that_keeps_no_profile_has_none(alice, porter):
    Job.objects.filter(kind="patterns").delete()
    configure_agent(agent=porter, actor="test", fields={"keeps_profile": False})

    recurring.request(make_session(porter, "bob").owner)
    look(alice)

    assert not Pattern.objects.exists()
    assert not Job.objects.open().filter(kind="patterns").exists()


@pytest.mark.requirement("TS-83")
def test_a_tool_is_recommended_for_the_kind_of_request_it_was_used_for(porter):
    *_, last = [travelled(porter, f"trip {number}") for number in range(3)]
    owner = last.owner
    look(owner)

    (suggestion,) = suggest_tools(owner=owner, request="Which train goes to Porto tomorrow?")

    assert suggestion.tool == "train_times"
    assert 0.25 <= suggestion.score <= 1
    assert len(suggestion.sessions) == 3
    assert suggest_tools(owner=owner, request="How do I bake bread?") == []


def test_a_tool_used_in_two_sessions_is_not_recommended(porter):
    *_, last = [travelled(porter, f"trip {number}") for number in range(2)]
    owner = last.owner
    look(owner)

    assert suggest_tools(owner=owner, request="When does the train to Porto leave?") == []

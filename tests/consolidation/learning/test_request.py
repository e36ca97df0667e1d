"""When a turn is learned from: once it has been answered, and never while someone waits."""

import pytest

from accounts.agents import configure_agent
from consolidation.intake.accept import accept_events, accept_transcript
from consolidation.jobs import queue
from consolidation.learning.request import is_learning
from consolidation.models import Job, LearningRun
from extraction.rules.model import OfflineChat
from memory.sessions import open_session
from tests.factories import make_session, run_jobs, said

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def keys(session) -> list[str]:
    """Return the numbers of the turns that are to be learned from, in the order of their jobs."""
    found = Job.objects.filter(kind="learn", key__startswith=str(session.pk)).order_by("pk")
    return [key.rpartition(":")[2] for key in found.values_list("key", flat=True)]


def accept(session, *drafts):
    return accept_events(agent=session.owner.agent, session=session, drafts=drafts)


@pytest.mark.requirement("OC-03")
def test_the_response_asks_no_model_and_a_rolled_back_one_leaves_no_job(porter, monkeypatch):
    session = make_session(porter)
    monkeypatch.setattr(OfflineChat, "complete", None)

    accept(session, said("My sister is called Ana."))
    assert keys(session) == []
    accept(session, said("I see.", "assistant"))

    assert keys(session) == ["1"]
    assert not LearningRun.objects.exists()


def test_a_question_and_its_answer_in_one_batch_are_a_turn(porter):
    session = make_session(porter)

    accept(session, said("My sister is called Ana."), said("I see.", "assistant"), said("Bye."))

    assert keys(session) == ["1"]


def test_an_answer_that_calls_a_tool_is_none_yet(porter):
    session = make_session(porter)
    accept(session, said("What is the weather?"))
    accept(session, said("", "assistant", tool_calls=[CALL]))
    accept(session, said("Rain.", "tool", tool_call_id="c1"))
    assert keys(session) == []

    accept(session, said("It rains.", "assistant", tool_calls=[]))
    accept(session, said("As I said.", "assistant"))

    assert keys(session) == ["1"]


def test_all_that_was_said_since_the_last_answer_is_learned_from(porter):
    session = make_session(porter)
    accept(session, said("Hello."), said("Hello.", "assistant"))
    accept(session, said("I live in Lyon."))
    accept(session, said("And work in Paris."))
    accept(session, said("Be kind.", "system"), said("I see.", "assistant"))

    assert keys(session) == ["1", "3", "4"]


def test_words_of_the_core_lane_teach_nothing(porter):
    session = make_session(porter)

    accept(session, said("I live in Lyon.", lane="core"), said("Yes.", "assistant", lane="core"))
    accept(session, said("Good morning.", "assistant"))

    assert keys(session) == []


def test_a_repeated_request_makes_no_second_job(porter):
    session = make_session(porter)
    drafts = [said("I live in Lyon."), said("I see.", "assistant")]

    for _ in range(2):
        accept_events(agent=porter, session=session, drafts=drafts, key="one")

    assert keys(session) == ["1"]


def test_a_transcript_is_learned_from_whole(porter):
    session = make_session(porter)
    drafts = [said("I live in Lyon."), said("I see.", "assistant")] * 3

    accept_transcript(agent=porter, session=session, drafts=drafts)

    assert keys(session) == ["1", "3", "5"]


def test_an_agent_that_does_not_learn_makes_no_job(porter):
    configure_agent(agent=porter, actor="test", fields={"learns": False})
    session = make_session(porter)

    accept(session, said("I live in Lyon."), said("I see.", "assistant"))

    assert keys(session) == []


def test_without_a_chat_model_nothing_waits_for_one(porter, settings):
    settings.CHAT = "null"
    session = make_session(porter)

    accept(session, said("I live in Lyon."), said("I see.", "assistant"))

    assert keys(session) == []


def test_an_agents_own_session_teaches_nothing_of_a_person(porter):
    session = open_session(agent=porter, is_own=True).session

    accept(session, said("I live in Lyon."), said("I see.", "assistant"))

    assert keys(session) == []


def test_turns_keep_their_order_and_hold_nothing_else_up(porter):
    session = make_session(porter)
    for _ in range(2):
        accept(session, said("I live in Lyon."), said("I see.", "assistant"))
    first, second = Job.objects.filter(kind="learn").order_by("pk")
    Job.objects.filter(subject=f"session:{session.pk}").delete()

    run = queue.claim(first.pk)

    assert queue.claim(second.pk) is None
    other = queue.enqueue(kind="finalise", key="x", subject=f"session:{session.pk}")
    assert queue.claim(other) is not None
    queue.finish(run)
    assert queue.claim(second.pk) is not None


def test_a_session_is_learning_until_its_jobs_are_done(porter):
    session, other = make_session(porter), make_session(porter)
    accept(session, said("I live in Lyon."), said("I see.", "assistant"))
    assert (is_learning(session), is_learning(other)) == (True, False)

    run_jobs()

    assert not is_learning(session)

"""What went wrong is written down: failures of tools, corrections of the user."""

import pytest

from consolidation.intake.accept import accept_events
from consolidation.models import Job
from knowledge.workspace.files import read_file
from memory.messages import Draft
from memory.models import Event
from tests.factories import WHEN, make_agent, make_session, run_jobs, said

CALL = {
    "content": None,
    "tool_calls": [
        {
            "id": "call-1",
            "type": "function",
            "function": {"name": "weather", "arguments": '{"city": "Grz", "token": "abc"}'},
        }
    ],
}


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.WORKSPACE = str(tmp_path)


def tell(session, *drafts, one_by_one=False):
    agent = session.owner.agent
    batches = [[draft] for draft in drafts] if one_by_one else [list(drafts)]
    for batch in batches:
        accept_events(agent=agent, session=session, drafts=batch)
    run_jobs()


def called(payload=CALL):
    return Draft("ModelOutput", payload, occurred_at=WHEN)


def result(content, **fields):
    return Draft(
        "ToolResultCommitted",
        {"content": content, **fields},
        tool_call_id="call-1",
        occurred_at=WHEN,
    )


def errors(session):
    return read_file(owner=session.owner, name="learnings/errors.md")


def corrections(session):
    return read_file(owner=session.owner, name="learnings/corrections.md")


@pytest.mark.requirement("OL-14")
@pytest.mark.parametrize("one_by_one", [True, False])
def test_a_failed_tool_is_written_down_with_what_it_was_asked(porter, one_by_one):
    session = make_session(porter)

    tell(
        session,
        said("What is the weather in Graz?"),
        called(),
        result('{"error": "no such city; password: hunter22!"}'),
        one_by_one=one_by_one,
    )

    text = errors(session)
    assert "- [2026-05-08 09:30:00 UTC] **weather**: no such city" in text
    assert '  Context: {"city": "Grz"' in text
    assert "hunter22" not in text


@pytest.mark.requirement("OL-14")
def test_a_result_that_is_none_leaves_no_line(porter):
    session = make_session(porter)
    tell(session, said("Weather?"), called(), result('{"temperature": 5}'))

    assert errors(session) == "# Errors\n"
    assert not Job.objects.filter(kind="lesson").exists()


def test_a_failure_without_its_call_has_the_name_it_came_with(porter):
    session = make_session(porter)
    tell(session, result("boom", is_error=True, name="oven"))
    tell(session, said("x"), result("bang", is_error=True))

    assert "**oven**: boom" in errors(session)
    assert "**tool**: bang" in errors(session)
    assert "Context" not in errors(session)


@pytest.mark.requirement("OL-15")
@pytest.mark.requirement("OL-16")
@pytest.mark.parametrize("one_by_one", [True, False])
def test_a_correction_after_an_answer_is_written_down(porter, one_by_one):
    session = make_session(porter)

    tell(
        session,
        said("When does it leave?"),
        said("At nine.", "assistant"),
        said("No, it leaves at ten."),
        said("I see.", "assistant"),
        said("I prefer short answers."),
        one_by_one=one_by_one,
    )

    text = corrections(session)
    assert "Original: At nine.\n  Correction: No, it leaves at ten." in text
    assert "Original: I see.\n  Correction: I prefer short answers." in text


@pytest.mark.requirement("OL-16")
def test_thanks_or_a_first_message_are_no_correction(porter):
    session = make_session(porter)
    tell(
        session,
        said("No, first of all: hello."),
        said("Hello.", "assistant"),
        said("no problem, thanks"),
        said("Actually, do not remember this."),
    )

    assert corrections(session) == "# Corrections\n"


def test_an_agent_that_does_not_learn_writes_nothing(db):
    session = make_session(make_agent("quiet", learns=False))
    tell(session, said("At nine.", "assistant"), said("No, at ten."))

    assert not Job.objects.filter(kind="lesson").exists()


def test_what_was_erased_meanwhile_teaches_nothing(porter):
    session = make_session(porter)
    drafts = [said("At nine.", "assistant"), said("No, at ten.")]
    accept_events(agent=porter, session=session, drafts=drafts)
    Event.objects.filter(payload__content="No, at ten.").update(payload=None, salt=None)

    run_jobs()

    assert corrections(session) == "# Corrections\n"


def test_a_job_that_runs_twice_writes_one_line(porter):
    session = make_session(porter)
    tell(session, said("At nine.", "assistant"), said("No, at ten."))
    Job.objects.filter(kind="lesson").update(state="due", dispatched_at=None)
    run_jobs()

    assert corrections(session).count("No, at ten.") == 1

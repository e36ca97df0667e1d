"""One end for all five paths, each step recorded, each done once in effect."""

from datetime import timedelta

import pytest
from django.utils import timezone

from consolidation import sweep
from consolidation.intake.accept import accept_events, accept_transcript, end_session
from consolidation.intake.closing import end_open_sessions, stop_agent
from consolidation.jobs import queue
from consolidation.models import Job
from consolidation.session_end import snapshots
from memory.models import Chunk, Session, SessionStep, Snapshot
from tests.factories import make_agent, make_session, run_jobs, said

STEPS = ["safe_point", "summary", "arc", "learn", "chunk", "embed", "promote"]
SMALL = ("arc", "skipped", "not_substantive")


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def sweep_now(kind=sweep.run):
    kind(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))


def by_silence(session):
    long_ago = timezone.now() - timedelta(minutes=21)
    Session.objects.filter(pk=session.pk).update(last_event_at=long_ago)
    sweep_now()


PATHS = {
    "explicit": lambda session: end_session(session=session, reason="explicit"),
    "web": lambda session: end_session(session=session, reason="web"),
    "inactivity": by_silence,
    "shutdown": lambda session: end_open_sessions(),
    "agent_stop": lambda session: stop_agent(agent=session.owner.agent, actor="test"),
    "transcript": lambda session: accept_transcript(
        agent=session.owner.agent, session=session, drafts=[said("That was all.")]
    ),
}


def steps(session):
    found = SessionStep.objects.filter(session=session).order_by("position")
    return list(found.values_list("name", "state", "error_code"))


@pytest.mark.requirement("CH-71")
@pytest.mark.requirement("CH-72")
@pytest.mark.requirement("CH-75")
@pytest.mark.requirement("CH-76")
@pytest.mark.requirement("XX-05")
@pytest.mark.parametrize("path", PATHS)
def test_every_path_leads_through_the_same_steps_once(porter, path):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("My cat only eats trout.")])

    PATHS[path](session)
    PATHS["explicit"](session)
    run_jobs()
    PATHS["shutdown"](session)
    run_jobs()

    session.refresh_from_db()
    assert (session.state, session.end_reason, session.tier) == ("closed", path, "mid_term")
    assert steps(session) == [SMALL if name == "arc" else (name, "done", "") for name in STEPS]
    assert "trout" in session.summary
    assert Chunk.objects.filter(text="My cat only eats trout.").count() == 1
    assert Job.objects.filter(kind="finalise").count() == 1
    assert Snapshot.objects.filter(is_final=True).count() == 1


@pytest.mark.parametrize("again", range(1, len(STEPS)))
def test_a_repeated_end_changes_nothing(porter, again):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("My cat only eats trout.")])
    PATHS["explicit"](session)
    run_jobs()
    chunks = list(Chunk.objects.values_list("pk", flat=True))
    SessionStep.objects.filter(name__in=STEPS[:again]).update(state="due")
    queue.enqueue(kind="finalise", key=str(session.pk))

    run_jobs()
    sweep_now()

    assert list(Chunk.objects.values_list("pk", flat=True)) == chunks
    assert [step for step in steps(session) if step[1] != "done"] == [SMALL]


@pytest.mark.requirement("CH-73")
@pytest.mark.parametrize("fault", ["hang", "500", "401", "refusal", "prose"])
def test_without_a_summary_the_end_goes_on(porter, endpoint, settings, fault):
    settings.SUMMARY_SECONDS = 0.5
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("My cat only eats trout.")])
    endpoint.script = [fault] * 9

    PATHS["explicit"](session)
    run_jobs()

    session.refresh_from_db()
    name, state, code = steps(session)[1]
    assert (session.state, session.summary) == ("closed", "")
    assert (name, state) == ("summary", "skipped")
    assert code
    assert Chunk.objects.get().text == "My cat only eats trout."


@pytest.mark.requirement("CH-72")
def test_what_was_folded_is_its_summary_until_the_model_answers_again(porter, endpoint, settings):
    settings.SUMMARY_SECONDS = 0.5
    agent = make_agent("cook", window_events=4, learns=False)
    session = make_session(agent)
    for text in ("I decided to buy the blue shed.", "It is 4 metres long.", "And cheap."):
        drafts = [said(text), said("Noted.", "assistant")]
        accept_events(agent=agent, session=session, drafts=drafts)
        run_jobs()
    endpoint.script = ["500"] * 9
    PATHS["explicit"](session)
    run_jobs()
    session.refresh_from_db()
    partial = session.summary
    assert partial
    assert steps(session)[1][:2] == ("summary", "skipped")
    endpoint.script = []

    sweep_now()
    run_jobs()
    assert steps(session)[1][:2] == ("summary", "skipped")
    past = timezone.now() - timedelta(minutes=11)
    SessionStep.objects.filter(name="summary").update(changed_at=past)
    sweep_now()
    run_jobs()

    session.refresh_from_db()
    assert steps(session)[1] == ("summary", "done", "")
    assert session.state == "closed"
    assert session.summary not in ("", partial)


@pytest.mark.requirement("CH-72")
@pytest.mark.requirement("CH-92")
def test_a_summary_that_comes_late_is_found_in_long_term_memory_too(porter, endpoint):
    agent = make_agent("cook", mid_term_sessions=1, learns=False)
    sessions = [make_session(agent) for _ in range(2)]
    endpoint.script = ["refusal"]
    for session in sessions:
        accept_events(agent=agent, session=session, drafts=[said("My cat only eats trout.")])
        PATHS["explicit"](session)
        run_jobs()
    first = Chunk.objects.filter(session=sessions[0])
    assert {chunk.tier for chunk in first} == {"long_term_detail"}
    past = timezone.now() - timedelta(minutes=11)
    SessionStep.objects.filter(session=sessions[0], name="summary").update(changed_at=past)

    sweep_now()
    run_jobs()

    assert {chunk.tier for chunk in first.all()} == {"long_term_detail", "long_term_summary"}


def test_the_summary_covers_what_was_folded(porter):
    agent = make_agent("cook", window_events=4)
    session = make_session(agent)
    for text in ("I decided to buy the blue shed.", "It is 4 metres long.", "And cheap."):
        drafts = [said(text), said("Noted.", "assistant")]
        accept_events(agent=agent, session=session, drafts=drafts)
        run_jobs()

    PATHS["explicit"](session)
    run_jobs()

    session.refresh_from_db()
    assert "blue shed" in session.summary


def test_silence_ends_nothing_when_switched_off(porter, settings):
    settings.INACTIVITY_SECONDS = 0
    session = make_session(porter)

    by_silence(session)

    session.refresh_from_db()
    assert session.is_open


def test_a_session_that_never_began_ends_after_silence_too(porter):
    session = make_session(porter)
    sweep_now()
    session.refresh_from_db()
    assert session.is_open
    Session.objects.update(opened_at=timezone.now() - timedelta(minutes=21))

    sweep_now()

    session.refresh_from_db()
    assert session.end_reason == "inactivity"


def test_running_sessions_are_kept_in_snapshots_when_something_happened(porter):
    quiet, busy = make_session(porter), make_session(porter)
    accept_events(agent=porter, session=busy, drafts=[said("Hello.")])

    sweep_now(snapshots.run)
    sweep_now(snapshots.run)

    assert [taken.session_id for taken in Snapshot.objects.all()] == [busy.pk]
    assert not quiet.snapshots.exists()

"""Whoever ends a session, and however many at once: it ends once, and loses nothing that is held."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from consolidation import sweep
from consolidation.intake.accept import accept_events, accept_transcript, end_session
from consolidation.intake.closing import end_open_sessions
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import Candidate, Job
from knowledge.models import Arc, Changeset, Fact
from memory.errors import SessionClosed
from memory.models import Session, SessionStep, Snapshot
from providers.registry import chat_model
from tests.consolidation.candidates import fact, hold
from tests.factories import make_agent, make_session, run_jobs, said

TALK = (
    "I ran the Berlin marathon in May.",
    "After the Berlin marathon I slept for a day.",
    "Next year it will be Vienna, I have signed up already.",
)
MARATHON = fact("Berlin marathon", TALK[0])
ANSWER = said("I see.", "assistant")


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def sweep_now():
    sweep.run(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))


def send_transcript(session):
    try:
        accept_transcript(agent=session.owner.agent, session=session, drafts=[said("Bye.")])
    except SessionClosed:
        """Another end came first."""


ENDS = (
    lambda session: end_session(session=session, reason="explicit"),
    lambda session: end_session(session=session, reason="web"),
    lambda session: sweep_now(),
    lambda session: end_open_sessions(),
    send_transcript,
)


def at_once(*acts) -> None:
    """Do all at the same moment, each with a connection of its own; raise what one has raised."""
    together, faults = threading.Barrier(len(acts)), []

    def do(act) -> None:
        try:
            together.wait()
            act()
        except Exception as error:  # noqa: BLE001 - raised below
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def silent(session, minutes: float) -> None:
    when = timezone.now() - timedelta(minutes=minutes)
    Session.objects.filter(pk=session.pk).update(last_event_at=when)


@pytest.mark.requirement("OC-53")
@pytest.mark.requirement("OC-55")
@pytest.mark.requirement("XX-05")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_five_ends_at_once_finalise_once(attempt):
    porter = make_agent()
    session = make_session(porter)
    for text in TALK:
        accept_events(agent=porter, session=session, drafts=[said(text), ANSWER])
    run_jobs()
    hold(session, MARATHON, place=9)
    silent(session, 21)

    at_once(*(lambda end=end: end(session) for end in ENDS))
    at_once(*[run_jobs] * 3)
    Job.objects.update(not_before=timezone.now())
    run_jobs()

    session.refresh_from_db()
    assert session.state == "closed"
    assert Job.objects.filter(kind="finalise").count() == 1
    assert (Arc.objects.count(), Snapshot.objects.filter(is_final=True).count()) == (1, 1)
    assert Fact.objects.filter(object="Berlin marathon").count() == 1
    keys = Changeset.objects.filter(origin="session_end").values_list("run_key", flat=True)
    assert sum(key.startswith("promote:") and "semantic" in key for key in keys) == 1
    assert not Candidate.objects.held().exists()


@pytest.mark.requirement("OC-54")
@pytest.mark.parametrize(("minutes", "is_over"), [(19, False), (19.99, False), (20, True)])
def test_twenty_minutes_of_silence_end_a_session_and_nineteen_do_not(porter, minutes, is_over):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said(TALK[0])])
    silent(session, minutes)

    sweep_now()

    session.refresh_from_db()
    assert session.is_open is not is_over
    assert session.end_reason == ("inactivity" if is_over else "")


@pytest.mark.requirement("OC-28")
@pytest.mark.django_db(transaction=True)
def test_a_restart_between_turns_loses_nothing_that_is_held():
    porter = make_agent()
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said(TALK[0]), ANSWER])
    run_jobs()
    (row,) = hold(session, MARATHON, place=9)
    connection.close()
    chat_model.cache_clear()

    accept_events(agent=porter, session=session, drafts=[said(TALK[1]), ANSWER])
    end_session(session=session, reason="explicit")
    run_jobs()

    row.refresh_from_db()
    assert (row.state, row.outcome) == ("promoted", "promotion.repetition")


@pytest.mark.requirement("OC-56")
def test_a_transcript_is_learned_from_and_finalised_by_the_same_path(porter):
    session = make_session(porter)
    drafts = [one for text in TALK for one in (said(text), ANSWER)]
    drafts.append(said("My sister Anna lives in Lyon."))

    accept_transcript(agent=porter, session=session, drafts=drafts)
    run_jobs()

    session.refresh_from_db()
    assert (session.state, session.end_reason) == ("closed", "transcript")
    assert "marathon" in Arc.objects.get().summary
    learned = session.learning_runs.filter(state="done").values_list("turn", "lane")
    assert {turn for turn, _ in learned} == {1, 3, 5, 7}
    assert session.candidates.filter(source_event=session.events.get(seq=7).reference).exists()
    assert not Candidate.objects.held().exists()


def test_what_is_learned_after_the_end_is_promoted_by_the_sweep(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said(text) for text in TALK])
    end_session(session=session, reason="explicit")
    run_jobs()
    (row,) = hold(session, MARATHON, place=9)
    before = SessionStep.objects.get(session=session, name="learn").details["semantic"]

    sweep_now()
    run_jobs()
    sweep_now()

    row.refresh_from_db()
    session.refresh_from_db()
    after = SessionStep.objects.get(session=session, name="learn")
    assert (row.state, row.outcome) == ("promoted", "promotion.repetition")
    assert after.details["semantic"]["writes"] == before["writes"] + 1
    assert (after.state, session.state) == ("done", "closed")
    assert not queue.take(9)


def test_what_is_still_learned_from_is_left_to_later_after_a_minute(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said(text) for text in TALK])
    end_session(session=session, reason="explicit")
    long_ago = timezone.now() - timedelta(minutes=2)
    Session.objects.filter(pk=session.pk).update(ended_at=long_ago)

    (finalise,) = queue.take(9)
    run_job(finalise)

    session.refresh_from_db()
    assert SessionStep.objects.get(session=session, name="learn").state == "done"
    assert Job.objects.open().filter(kind="learn").count() == len(TALK)


def test_it_waits_for_a_turn_that_another_worker_learns_from(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said(TALK[0]), ANSWER])
    job = Job.objects.get(kind="learn")
    queue.claim(job.pk)
    end_session(session=session, reason="explicit")

    run_jobs()

    finalise = Job.objects.get(kind="finalise")
    assert (finalise.state, finalise.last_error_code) == ("due", "still_learning")
    assert finalise.attempts == 0
    assert SessionStep.objects.get(session=session, name="learn").state == "due"

"""A compaction that fails on its way: nothing leaves the view, and nothing is paid twice."""

import json

import pytest
from django.db import connection

from audit.failpoint import FailpointReached
from consolidation import sweep
from consolidation.compaction import apply
from consolidation.compaction.request import request_compaction
from consolidation.compaction.strategies.registry import FLUSH_AT
from consolidation.intake.accept import accept_events, end_session
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.jobs.queue import Attempt, enqueue
from consolidation.models import Job
from knowledge.models import Entry, SavedFact
from knowledge.workspace.folder import folder_of
from memory.deltas import DeltaMode, SummaryDelta, SummaryFact
from memory.errors import SessionClosed
from memory.models import CompactMarker, LaneWindow, ReferenceSummary
from memory.summaries import apply_delta
from recall.prompt.view import measure
from tests.consolidation.compaction.talks import archived, run_of, shown, talk
from tests.factories import make_agent, make_session, run_jobs, said

SWEEP = Attempt(0, "sweep", "periodic", "", 0, 0, 0)


def usage(session):
    window = LaneWindow.objects.get(session=session, lane="edge")
    return measure(session, window).usage


@pytest.mark.requirement("CH-30")
@pytest.mark.requirement("CH-47")
@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"mode": "append", "add_references": ["ev-00000000000000000000000000000000"]}, "delta"),
        ({"mode": "rewrite", "summary_update": "All new."}, "reply_malformed"),
        ({"mode": "append", "drop": True}, "reply_malformed"),
    ],
)
def test_a_bad_delta_changes_nothing_and_the_next_trigger_tries_again(cook, endpoint, reply, code):
    session = make_session(cook)
    talk(cook, session, 8)
    bad = json.dumps({"memory_delta": reply})
    endpoint.script = ['{"facts": []}', bad, bad, bad]

    run_jobs()

    assert run_of(session).state == "failed"
    assert run_of(session).error_code.startswith(code)
    assert shown(session) == list(range(1, 17))
    assert not ReferenceSummary.objects.exclude(version=0).exists()
    assert not CompactMarker.objects.exists()
    endpoint.script = []
    talk(cook, session, 1, start=8)
    run_jobs()
    assert run_of(session).state == "applied"


@pytest.mark.requirement("OL-12")
@pytest.mark.parametrize("fault", ["500", "429", "cut-body", "refusal", "prose", "401"])
@pytest.mark.parametrize("answered", [0, 1])
def test_nothing_leaves_the_view_when_the_model_fails(cook, endpoint, fault, answered):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 8)
    request_compaction(session=session, lane="edge", trigger="api")
    endpoint.script = ['{"facts": []}'][:answered] + [fault] * 12

    run_jobs(1)

    assert shown(session) == list(range(1, 17))
    assert not CompactMarker.objects.exists()
    assert not Entry.objects.exists()


def test_what_was_answered_before_a_failure_is_not_asked_again(cook, endpoint):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 8)
    fact = {"key": "dish", "value": "pasta", "category": "preference", "source_event": "?"}
    request_compaction(session=session, lane="edge", trigger="api")
    endpoint.script = [json.dumps({"facts": [fact]}), *["503"] * 4]
    run_jobs(1)
    assert run_of(session).state == "replied"
    Job.objects.update(not_before="2020-01-01T00:00Z", dispatched_at=None)
    endpoint.chats.clear()

    run_jobs(1)

    assert run_of(session).state == "applied"
    assert len(endpoint.chats) == 1
    found = SavedFact.objects.get()
    # A source that is no line of the conversation is none.
    assert (found.key, found.value, found.source_event) == ("dish", "pasta", "")


@pytest.mark.requirement("OL-03")
@pytest.mark.requirement("OL-04")
@pytest.mark.requirement("OL-13")
def test_a_flush_saves_facts_once_and_leaves_the_view(db, endpoint):
    agent = make_agent("cook", window_events=1_000, context_tokens=500)
    session = make_session(agent, strategy="summarize_tail")
    endpoint.script = ["prose"] * 2

    while usage(session) < FLUSH_AT:
        talk(agent, session, 1)
    run_jobs()

    run = run_of(session)
    assert (run.state, run.folded) == ("applied", [])
    assert not SavedFact.objects.exists()
    assert archived(session) == []
    asked = len(endpoint.chats)
    accept_events(agent=agent, session=session, drafts=[said("Fine.", "assistant")])
    run_jobs()
    assert len(endpoint.chats) == asked


@pytest.mark.requirement("CT-17")
@pytest.mark.parametrize("place", ["compact.after_archive", "compact.after_marker"])
def test_an_archive_without_its_marker_and_a_marker_without_its_fold_do_not_exist(
    cook, monkeypatch, place
):
    session = make_session(cook)
    talk(cook, session, 8)

    def fail(name):
        if name == place:
            raise FailpointReached(name)

    monkeypatch.setattr(apply, "failpoint", fail)
    run_jobs(1)

    assert not Entry.objects.exists()
    assert not CompactMarker.objects.exists()
    assert shown(session) == list(range(1, 17))
    monkeypatch.undo()
    Job.objects.update(not_before="2020-01-01T00:00Z", dispatched_at=None)
    run_jobs()
    assert Entry.objects.count() == CompactMarker.objects.count() == 1
    memory = (folder_of(session.owner) / "MEMORY.md").read_text()
    assert memory.count("<!-- compaction") == 1


def test_a_session_that_ends_drops_its_compaction(cook):
    session = make_session(cook)
    talk(cook, session, 8)

    end_session(session=session, reason="explicit")
    run_jobs()

    assert not CompactMarker.objects.exists()
    assert Job.objects.get(kind="compact").state == "cancelled"
    session.refresh_from_db()
    assert session.state == "closed"


def test_the_sweep_ends_a_compaction_whose_job_is_gone(cook, endpoint):
    session = make_session(cook)
    talk(cook, session, 8)
    endpoint.script = ["503"] * 4
    run_jobs(1)
    assert run_of(session).state == "planned"
    sweep.run(SWEEP)
    assert run_of(session).state == "planned"
    Job.objects.filter(kind="compact").update(state="dead", last_error_code="provider_unavailable")

    sweep.run(SWEEP)

    assert (run_of(session).state, run_of(session).error_code) == (
        "failed",
        "provider_unavailable",
    )


def test_a_session_that_ended_meanwhile_is_not_compacted(cook, endpoint):
    stale = make_session(cook, strategy="archive")
    talk(cook, stale, 8)
    session = type(stale).objects.get(pk=stale.pk)
    end_session(session=session, reason="explicit")

    with pytest.raises(SessionClosed):
        request_compaction(session=stale, lane="edge", trigger="api")
    endpoint.chats.clear()
    run_job(enqueue(kind="compact", key=f"{session.pk}:edge:api"))

    assert endpoint.chats == []
    assert not CompactMarker.objects.exists()


def test_the_end_does_not_wait_for_a_provider_that_refuses(transactional_db, cook, endpoint):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 8)
    request_compaction(session=session, lane="edge", trigger="api")

    class EndingMeanwhile(list[str]):
        def pop(self, place=-1):
            end_session(session=session, reason="explicit")
            connection.close()
            return super().pop(place)

    endpoint.script = EndingMeanwhile(["401"])
    run_jobs()

    assert (run_of(session).state, run_of(session).error_code) == ("failed", "session_ended")
    assert not Job.objects.open().filter(kind="compact").exists()
    session.refresh_from_db()
    assert session.state == "closed"


def test_the_end_does_not_wait_for_a_compaction_that_was_put_off(cook, endpoint):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 8)
    request_compaction(session=session, lane="edge", trigger="api")
    endpoint.script = ["401"]
    run_jobs(1)
    Job.objects.update(not_before="2020-01-01T00:00Z", dispatched_at=None)
    again = queue.claim(Job.objects.get(kind="compact", key__endswith=":api").pk)
    end_session(session=session, reason="explicit")
    queue.postpone(again, code="worker_lost", seconds=0)
    endpoint.script = ["401"] * 9

    run_jobs()

    assert (run_of(session).state, run_of(session).error_code) == ("failed", "session_ended")
    session.refresh_from_db()
    assert session.state == "closed"


def test_a_summary_of_any_length_can_be_folded_into(cook, endpoint):
    session = make_session(cook)
    talk(cook, session, 8)
    source = session.events.first().reference
    facts = tuple(SummaryFact(f"town {n}", "is far " * 100, source) for n in range(200))
    delta = SummaryDelta(DeltaMode.APPEND, update="Alice bakes.", add_facts=facts)
    apply_delta(window=session.windows.get(lane="edge"), delta=delta, version=0)

    run_jobs()

    assert run_of(session).state == "applied"
    sent = [text for asked in endpoint.chats for text in asked.texts if "Alice bakes." in text]
    assert sent
    assert all("town 199" in text and "town 0:" not in text for text in sent)

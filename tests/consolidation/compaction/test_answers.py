"""What becomes of a model's answers in a compaction, one by one."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from consolidation.compaction.plan import rests
from consolidation.intake.accept import accept_events
from consolidation.models import CompactionRun
from knowledge.models import Entry, SavedFact
from knowledge.workspace.folder import folder_of
from memory.models import LaneWindow, ReferenceSummary
from memory.references import events_named
from tests.consolidation.compaction.talks import archived, compact, run_of, talk
from tests.factories import make_agent, make_session, run_jobs, said

NO_FACTS = '{"facts": []}'


def delta(**fields):
    return json.dumps({"memory_delta": {"mode": "append", **fields}})


@pytest.mark.requirement("OL-07")
@pytest.mark.requirement("OL-08")
def test_each_fact_of_the_models_list_is_kept_with_key_value_and_category(cook, endpoint):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 8)
    source = session.events.get(seq=1).reference
    found = [
        {"key": f"key {n}", "value": f"value {n}", "category": category, "source_event": source}
        for n, category in enumerate(("preference", "decision", "fact", "context"))
    ]
    endpoint.script = [json.dumps({"facts": found}), json.dumps({"summary": "Of pasta."})]

    compact(session)

    rows = SavedFact.objects.order_by("key").values("key", "value", "category", "source_event")
    assert list(rows) == found
    memory = (folder_of(session.owner) / "MEMORY.md").read_text()
    assert all(f"- **key {n}**: value {n}\n" in memory for n in range(4))


@pytest.mark.requirement("OL-09")
def test_the_archive_is_the_summary_that_the_model_gave(cook, endpoint):
    session = make_session(cook, strategy="summarize_tail")
    talk(cook, session, 8)
    endpoint.script = [NO_FACTS, json.dumps({"summary": "They spoke of pasta and olives."})]

    compact(session)

    assert Entry.objects.get().content == "They spoke of pasta and olives."


@pytest.mark.requirement("CH-25")
@pytest.mark.requirement("CH-28")
def test_a_rejected_delta_is_asked_for_once_more_with_the_reason(cook, endpoint):
    session = make_session(cook)
    talk(cook, session, 8)
    bad = delta(summary_update="Wrong.", add_references=["ev-" + "0" * 32])
    endpoint.script = [NO_FACTS, bad, delta(summary_update="They spoke of pasta.")]

    run_jobs()

    assert run_of(session).state == "applied"
    summary = ReferenceSummary.objects.get(window__session=session, window__lane="edge")
    assert (summary.text, summary.version) == ("They spoke of pasta.", 1)
    assert "add_references names something that does not exist" in str(endpoint.chats[-1].texts)


@pytest.mark.requirement("CH-17")
def test_an_archive_holds_what_is_new_alone(cook, endpoint):
    session = make_session(cook)
    texts = ("They spoke of pasta.", "Then of olives.")
    for text in texts:
        talk(cook, session, 8)
        endpoint.script = [NO_FACTS, delta(summary_update=text)]
        run_jobs()

    archives = Entry.objects.filter(kind=Entry.Kind.ARCHIVE).order_by("number")
    assert [archive.content for archive in archives] == list(texts)
    summary = ReferenceSummary.objects.get(window__session=session, window__lane="edge")
    assert summary.text == "\n".join(texts)


def test_failures_in_a_row_are_waited_out_ever_longer(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    now = timezone.now()

    waits = []
    for _ in range(4):
        CompactionRun.objects.create(
            session=session,
            lane="edge",
            strategy=session.strategy,
            trigger="automatic",
            state="failed",
            error_code="delta_invalid",
            start_seq=1,
            next_start_seq=1,
            last_seq=16,
            finished_at=now,
        )
        minutes = range(20)
        waits.append(sum(rests(session, "edge", now + timedelta(minutes=m)) for m in minutes))

    assert waits == [0, 1, 2, 4]


@pytest.mark.requirement("OL-04")
def test_a_fold_arms_the_flush_again(db, endpoint):
    agent = make_agent("cook", window_events=1_000, context_tokens=2_000, learns=False)
    session = make_session(agent, strategy="archive")
    window = LaneWindow.objects.filter(session=session, lane="edge")
    while not CompactionRun.objects.exists():
        talk(agent, session, 1)
        run_jobs()
    assert run_of(session).folded == []
    assert not window.get().flush_armed
    asked = len(endpoint.chats)
    accept_events(agent=agent, session=session, drafts=[said("Fine.", "assistant")])
    run_jobs()
    assert len(endpoint.chats) == asked

    compact(session)

    assert archived(session)
    assert window.get().flush_armed


@pytest.mark.requirement("CH-28")
def test_a_delta_may_name_events_of_the_persons_other_sessions_and_of_nobody_else(porter):
    events = {}
    for user in ("alice", "bob"):
        other = make_session(porter, user)
        (event,), _ = accept_events(agent=porter, session=other, drafts=[said("Hello.")])
        events[user] = event.reference
    session = make_session(porter, "alice")

    named = events_named(session, [*events.values(), "ev-" + "0" * 32, "none"])

    assert named == {events["alice"]}

"""A compaction from its trigger to the prompt after it."""

import json

import pytest

from audit.failpoint import FailpointReached
from consolidation import sweep
from consolidation.compaction import apply
from consolidation.compaction.request import request_compaction
from consolidation.intake import accept_events, end_session
from consolidation.models import CompactionRun, Job
from consolidation.queue import Run
from knowledge.models import Entry, SavedFact
from knowledge.workspace import folder_of
from memory.events import verify_chain
from memory.models import CompactMarker, Event, LaneWindow, ReferenceSummary
from providers.offline import OfflineChat
from recall.assembly import assemble_context
from tests.factories import make_agent, make_session, run_jobs, said

STRATEGIES = ("reference_summary", "summarize_tail", "archive")
SWEEP = Run(0, "sweep", "periodic", "", 0, 0, 0)


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def cook(db):
    """Return an agent whose window is short."""
    return make_agent("cook", window_events=10)


def talk(agent, session, turns, start=0):
    for place in range(start, start + turns):
        drafts = [
            said(f"My favourite dish number {place} is pasta with {place} olives, as I told you."),
            said(f"Noted, dish {place}.", "assistant"),
        ]
        accept_events(agent=agent, session=session, drafts=drafts)


def compact(session, lane="edge", trigger="api"):
    outcome = request_compaction(session=session, lane=lane, trigger=trigger)
    run_jobs()
    return outcome


def run_of(session):
    return CompactionRun.objects.filter(session=session).latest("pk")


def shown(session):
    """Return the numbers of the events that a prompt may show."""
    window = LaneWindow.objects.get(session=session, lane="edge")
    rest = range(window.start_seq, window.last_seq + 1)
    return [*window.kept, *rest]


def archived(session):
    markers = CompactMarker.objects.filter(session=session, lane="edge")
    return [seq for marker in markers for seq in marker.folded]


def everything(session):
    return sorted(Event.objects.filter(session=session, lane="edge").values_list("seq", flat=True))


@pytest.mark.requirement("CH-17")
@pytest.mark.requirement("CH-45")
@pytest.mark.requirement("CT-14")
@pytest.mark.requirement("OL-02")
def test_a_long_conversation_is_folded_by_itself_in_the_background(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    assert shown(session) == list(range(1, 17))

    run_jobs()

    assert run_of(session).state == "applied"
    assert shown(session) == list(range(7, 17))
    assert archived(session) == list(range(1, 7))


@pytest.mark.requirement("CH-23")
@pytest.mark.requirement("CH-24")
@pytest.mark.requirement("CH-25")
def test_the_summary_comes_from_a_delta_and_names_its_sources(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    run_jobs()

    summary = ReferenceSummary.objects.get(window__session=session, window__lane="edge")
    known = {event.reference for event in Event.objects.filter(session=session)}
    assert summary.version == 1
    assert summary.text
    assert summary.facts
    assert {fact["source_event"] for fact in summary.facts} <= known
    assert set(summary.referenced_events) <= known


@pytest.mark.requirement("CH-31")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_prompt_shows_the_summary_in_place_of_what_was_folded(cook, strategy):
    session = make_session(cook, strategy=strategy)
    talk(cook, session, 8)
    compact(session)

    prompt = assemble_context(session=session)

    texts = [str(message["content"]) for message in prompt.messages]
    assert texts[0] == "Be brief."
    assert texts[1].startswith("Summary of the earlier conversation.")
    assert texts[-2].startswith("My favourite dish number 7")
    assert not any(text.startswith("My favourite dish number 0") for text in texts)


@pytest.mark.requirement("OL-06")
@pytest.mark.requirement("OL-07")
@pytest.mark.requirement("OL-08")
@pytest.mark.requirement("OL-11")
@pytest.mark.requirement("XX-02")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_facts_are_kept_twice_and_every_event_stays(cook, strategy):
    session = make_session(cook, strategy=strategy)
    talk(cook, session, 8)
    compact(session)

    facts = SavedFact.objects.filter(owner=session.owner)
    memory = (folder_of(session.owner) / "MEMORY.md").read_text()
    assert facts
    assert all(f"- **{fact.key}**: {fact.value}" in memory for fact in facts)
    assert {fact.source for fact in facts} == {"context_flush"}
    assert everything(session) == list(range(1, 17))
    assert sorted(shown(session) + archived(session)) == everything(session)
    assert verify_chain(session) == []


@pytest.mark.requirement("CT-15")
@pytest.mark.requirement("CT-16")
@pytest.mark.requirement("CT-20")
@pytest.mark.requirement("CT-21")
@pytest.mark.requirement("OL-09")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_compaction_leaves_a_marker_and_an_archive(cook, strategy):
    session = make_session(cook, strategy=strategy, external_id="Sunday Dinner!")
    for round_ in range(3):
        talk(cook, session, 8, start=8 * round_)
        compact(session)

    markers = list(CompactMarker.objects.filter(session=session))
    names = [f"sunday-dinner-{number}" for number in range(1, len(markers) + 1)]
    assert len(markers) >= 3
    assert [marker.number for marker in markers] == list(range(1, len(markers) + 1))
    assert [marker.archive_name for marker in markers] == names
    archives = Entry.objects.filter(owner=session.owner, kind="archive").order_by("number")
    assert [archive.name for archive in archives] == names
    assert all(archive.content for archive in archives)
    assert sorted(shown(session) + archived(session)) == everything(session)


@pytest.mark.requirement("CT-12")
def test_an_archive_stays_as_it_was_written(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    run_jobs()
    first = Entry.objects.filter(kind="archive").values().get()

    talk(cook, session, 8, start=8)
    run_jobs()

    assert Entry.objects.filter(kind="archive").count() > 1
    assert Entry.objects.filter(pk=first["id"]).values().get() == first


@pytest.mark.requirement("CT-23")
def test_a_missing_archive_is_named_in_the_prompt(cook):
    session = make_session(cook, strategy="archive", external_id="dinner")
    talk(cook, session, 8)
    compact(session)
    Entry.objects.all().delete()

    prompt = assemble_context(session=session)

    assert "The archive dinner-1 is missing." in str(prompt.messages[1]["content"])


@pytest.mark.requirement("CH-43")
def test_a_users_command_compacts(cook):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 4)
    accept_events(agent=cook, session=session, drafts=[said(" /compact\n")])

    run_jobs()

    assert run_of(session).trigger == "message"
    assert run_of(session).state == "applied"
    assert shown(session) == [9]


def test_a_command_with_nothing_to_fold_is_a_message_like_any_other(cook):
    session = make_session(cook)

    accept_events(agent=cook, session=session, drafts=[said("/compact")])

    run_jobs()
    assert not CompactionRun.objects.exists()
    assert shown(session) == [1]


@pytest.mark.requirement("CT-22")
def test_what_arrives_meanwhile_is_neither_lost_nor_covered(cook, monkeypatch):
    session = make_session(cook)
    talk(cook, session, 8)
    late = [said("One more thing.")]

    class Slow(OfflineChat):
        def complete(self, task, *, seconds=None):
            while late:
                accept_events(agent=cook, session=session, drafts=[late.pop()])
            return super().complete(task, seconds=seconds)

    monkeypatch.setattr("consolidation.compaction.job.chat_model", Slow)

    run_jobs()

    assert run_of(session).last_seq == 16
    assert 17 in shown(session)
    assert sorted(shown(session) + archived(session)) == list(range(1, 18))


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

    talk(agent, session, 11)
    run_jobs()

    run = run_of(session)
    assert (run.state, run.folded) == ("applied", [])
    assert not SavedFact.objects.exists()
    assert shown(session) == list(range(1, 23))
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


@pytest.mark.requirement("CH-28")
def test_a_delta_may_name_another_session_of_the_agent(cook, endpoint):
    before = make_session(cook, "bob")
    session = make_session(cook)
    talk(cook, session, 8)
    delta = {"mode": "append", "summary_update": "See there.", "add_references": [str(before.pk)]}
    endpoint.script = ['{"facts": []}', json.dumps({"memory_delta": delta})]

    run_jobs()

    summary = ReferenceSummary.objects.get(window__session=session)
    assert summary.referenced_sessions == [str(before.pk)]
    assert summary.text == "See there."


@pytest.mark.requirement("CH-14")
def test_the_lanes_fold_apart(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    accept_events(agent=cook, session=session, drafts=[said("Deep thought.", lane="core")])
    run_jobs()

    core = LaneWindow.objects.get(session=session, lane="core")
    assert (core.start_seq, core.kept, core.summary_tokens) == (1, [], 0)
    assert not ReferenceSummary.objects.filter(window=core).exists()

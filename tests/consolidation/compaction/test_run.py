"""A compaction from its trigger to the prompt after it."""

import json

import pytest

from consolidation.intake.accept import accept_events
from consolidation.models import CompactionRun
from extraction.rules.model import OfflineChat
from knowledge.models import Entry, SavedFact
from knowledge.workspace.folder import folder_of
from memory.events import verify_chain
from memory.models import CompactMarker, Event, LaneWindow, ReferenceSummary
from recall.prompt.assembly import assemble_context
from tests.consolidation.compaction.talks import (
    STRATEGIES,
    archived,
    compact,
    everything,
    run_of,
    shown,
    talk,
)
from tests.factories import make_session, run_jobs, said


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
    assert shown(session) == list(range(11, 17))
    assert archived(session) == list(range(1, 11))


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
    assert texts[1].startswith("MEMORY.md")
    assert texts[2].startswith("Summary of the earlier conversation.")
    assert texts[-3].startswith("Time: ")
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

    assert "The archive dinner-1 is missing." in str(prompt.messages[2]["content"])


@pytest.mark.requirement("CH-43")
def test_a_users_command_compacts(cook):
    session = make_session(cook, strategy="archive")
    talk(cook, session, 4)
    accept_events(agent=cook, session=session, drafts=[said(" /compact\n")])

    run_jobs()

    assert run_of(session).trigger == "message"
    assert run_of(session).state == "applied"
    # The user's latest words are those before the order, which no prompt shows.
    assert shown(session) == [7, 8, 9]
    prompt = assemble_context(session=session)
    assert [message["role"] for message in prompt.messages[-2:]] == ["user", "assistant"]
    assert not any("/compact" in str(message["content"]) for message in prompt.messages)


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

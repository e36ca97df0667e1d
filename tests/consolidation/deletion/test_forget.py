"""What was forgotten is told by no prompt, however it was said, until it is taken back."""

from datetime import timedelta
from threading import Thread

import pytest
from django.apps import apps
from django.db import OperationalError, connection, connections
from django.utils import timezone

from audit.models import AuditEntry
from consolidation.deletion import retention
from consolidation.deletion.forget import footprint_of, forget
from consolidation.deletion.trace import Deletion, Target
from consolidation.deletion.undo import make_final, take_back_forgetting
from consolidation.edits.memory import change_item
from consolidation.intake.accept import accept_events, end_session
from consolidation.jobs.queue import Attempt
from consolidation.observations.record import observe
from inspector.person.forgetting import lines_of
from knowledge.errors import ForgettingFinal, ItemChanged
from knowledge.models import Arc, Changeset, Fact, Forgetting, Tombstone
from knowledge.notes.entries.operations import Add, EntryKind
from knowledge.notes.store import apply_operation
from memory.models import Chunk, CompactMarker, Event, LaneWindow, ReferenceSummary, Session
from memory.snapshots import restore_lanes, take_snapshot
from recall.answers.around import load_around
from recall.answers.session_log import find_by_keyword
from recall.search.hits import Filters
from recall.search.messages.search import search
from recall.search.phrases import search_phrase
from tests.consolidation.deletion.forgetful import (
    BREAD,
    CAT,
    LATER,
    QUESTION,
    TALK,
    WEEK,
    cat,
    forgotten,
    prompt,
    talked,
)
from tests.consolidation.profile.observed import owner_of, synthesise
from tests.factories import make_session, run_jobs, said, wait_for_locks


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def alice(porter):
    return talked(porter)


@pytest.mark.requirement("OC-73")
def test_a_forgotten_fact_is_in_no_part_of_the_next_prompt_and_its_neighbour_is(alice):
    before = prompt(alice)
    assert before.count("Minka") > 2
    assert "Ana" in before

    forgotten(alice)

    after = prompt(alice)
    assert "Minka" not in after
    assert "Ana" in after
    assert "Lisbon" in after


def test_the_log_keeps_every_word_and_its_chain(alice):
    words = [event.content for event in Event.objects.order_by("pk")]
    forgotten(alice)

    assert [event.content for event in Event.objects.order_by("pk")] == words
    muted = {str(event.content["content"]) for event in Event.objects.exclude(muted_by=None)}
    assert muted == {
        TALK[0].payload["content"],
        TALK[1].payload["content"],
        LATER[0].payload["content"],
    }


def test_no_way_of_finding_brings_up_what_is_muted(alice):
    talk = Session.objects.filter(owner=alice, chunks__isnull=False).order_by("opened_at")[0]
    near = search(owner=alice, query="sister Ana", limit=5).hits
    forgotten(alice)

    hits = search(owner=alice, query="Minka", limit=5).hits
    assert not any("Minka" in hit.text for hit in hits)
    assert search_phrase(owner=alice, query='"called Minka"', limit=5, filters=Filters()).hits == []
    assert find_by_keyword(session=talk, query="Minka", limit=5) == []
    around = load_around(owner=alice, hits=near, widen=4).values()
    said_near = [str(e.content) for one in around for e in (*one.before, *one.after)]
    assert said_near
    assert not any("Minka" in text for text in said_near)


def test_a_conversation_that_is_still_open_does_not_say_it_again_nor_when_it_ends(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=list(TALK))
    run_jobs()
    owner = session.owner
    assert "Minka" in prompt(owner, session=session)

    forgotten(owner)
    assert "Minka" not in prompt(owner, session=session)

    # The question names her: it was said after, and is no more than a question.
    Event.objects.filter(session=session, payload__content=QUESTION).update(muted_by=[session.pk])
    end_session(session=session, reason="explicit")
    run_jobs()
    session.refresh_from_db()
    assert "Minka" not in session.summary
    assert not Chunk.objects.filter(session=session, text__contains="Minka").exists()
    assert not Arc.objects.filter(session=session.pk, summary__contains="Minka").exists()
    assert Chunk.objects.filter(session=session, text__contains="Ana").exists()


def test_taken_back_it_is_remembered_as_before(alice):
    was, row = prompt(alice), cat(alice)
    tombstones = set(Tombstone.objects.values_list("pk", flat=True))
    act = forgotten(alice)
    assert not Fact.objects.filter(pk=row.pk).exists()

    take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    run_jobs()

    back = cat(alice)
    assert (back.pk, back.evidence_quote) == (row.pk, row.evidence_quote)
    assert prompt(alice).count("Minka") == was.count("Minka")
    assert set(Tombstone.objects.values_list("pk", flat=True)) == tombstones
    assert not Event.objects.exclude(muted_by=None).exists()
    assert not Chunk.objects.exclude(muted_by=None).exists()
    with pytest.raises(ForgettingFinal):
        take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    assert AuditEntry.objects.filter(action="memory.take_back").count() == 1


def test_what_two_acts_mute_is_said_again_when_both_are_taken_back(alice):
    other = cat(alice)
    other.pk, other.evidence_quote = None, "What should Minka eat in winter?"
    other.save(force_insert=True)
    first = forgotten(alice, row=Fact.objects.exclude(pk=other.pk).get(object=other.object))
    second = forgotten(alice, row=other)

    take_back_forgetting(owner=alice, act=first.pk, actor="alice")
    assert Event.objects.exclude(muted_by=None).exists()
    take_back_forgetting(owner=alice, act=second.pk, actor="alice")
    assert not Event.objects.exclude(muted_by=None).exists()


def test_its_words_go_for_good_when_the_time_is_over_or_when_asked(alice):
    act = forgotten(alice)
    assert "Minka" in str(act.contents)

    Forgetting.objects.update(final_at=timezone.now())
    retention.run(Attempt(0, "retention", "periodic", "", 0, 0, 0))
    act.refresh_from_db()
    assert act.contents is None
    with pytest.raises(ForgettingFinal):
        take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    with pytest.raises(ForgettingFinal):
        make_final(owner=alice, act=act.pk, actor="alice")
    assert "Minka" not in prompt(alice)


def test_without_time_to_take_it_back_no_word_is_kept(alice):
    assert forgotten(alice, timedelta(0)).contents is None


def test_another_person_takes_nothing_back(alice, porter):
    act = forgotten(alice)
    with pytest.raises(ForgettingFinal):
        take_back_forgetting(owner=owner_of(porter, "bob"), act=act.pk, actor="bob")


def test_one_that_has_changed_keeps_all_as_it_is(alice):
    row, others = cat(alice), Fact.objects.filter(owner=alice).exclude(object__contains="Minka")
    items = [Target("fact", others[0].pk), Target("fact", row.pk, row.version + 1)]

    with pytest.raises(ItemChanged):
        forget(owner=alice, items=items, actor="alice", keep_for=WEEK)

    assert not Forgetting.objects.exists()
    assert Fact.objects.filter(pk=others[0].pk).exists()
    assert not Event.objects.exclude(muted_by=None).exists()


def test_what_a_fact_said_before_its_correction_goes_as_well(alice):
    row, fields = cat(alice), {"object": "Tilda"}
    change_item(
        owner=alice, kind="fact", target=row.pk, fields=fields, version=row.version, actor="alice"
    )
    row.refresh_from_db()

    for _ in range(2):
        act = forgotten(alice, row=row)
        assert "Minka" not in prompt(alice)
        take_back_forgetting(owner=alice, act=act.pk, actor="alice")
        assert "Minka" in prompt(alice)


def test_with_an_arc_goes_all_that_was_said_in_its_session(alice):
    arc = Arc.objects.filter(owner=alice).order_by("started_at").first()
    assert arc is not None
    act = forgotten(alice, row=arc, kind="arc")

    mine = Event.objects.filter(session=arc.session)
    assert mine.exists()
    assert not mine.audible().exists()
    assert not Chunk.objects.filter(session=arc.session, muted_by=None).exists()
    assert Session.objects.get(pk=arc.session).summary == ""
    assert Event.objects.filter(owner=alice).audible().exists()
    take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    assert Session.objects.get(pk=arc.session).summary != ""
    assert Arc.objects.filter(pk=arc.pk).exists()


def test_a_cut_summary_comes_back_unless_somebody_wrote_another_meanwhile(alice):
    session = Session.objects.filter(owner=alice).order_by("opened_at")[0]
    Session.objects.filter(pk=session.pk).update(summary="She has a cat, Minka. She likes bread.")
    add = Add("porter-1", "Facts: Minka is a cat. She likes bread.", kind=EntryKind.ARCHIVE)
    archive = apply_operation(owner=alice, operation=add).entry
    act = forgotten(alice)
    session.refresh_from_db()
    archive.refresh_from_db()
    assert session.summary == "She likes bread."
    assert archive.content == "She likes bread."

    Session.objects.filter(pk=session.pk).update(summary="Something else.")
    take_back_forgetting(owner=alice, act=act.pk, actor="alice")

    session.refresh_from_db()
    archive.refresh_from_db()
    assert session.summary == "Something else."
    assert "Minka" in archive.content


def test_the_preview_is_what_goes(alice):
    row = cat(alice)
    footprint = footprint_of(Deletion(alice, items=[row]))
    act = forgotten(alice, row=row)

    assert [entry["id"] for entry in footprint["events"]] == act.events
    assert [entry["id"] for entry in footprint["chunks"]] == act.chunks
    assert any("Minka" in line for line in lines_of(footprint))
    assert Changeset.objects.filter(owner=alice, origin="person").exists()


def test_a_sentence_that_says_whose_it_is_names_it_as_well(alice):
    session = make_session(alice.agent)
    lines = ("When is Minka's check?", "Minka\u2019s check is on Friday.")
    accept_events(agent=alice.agent, session=session, drafts=[said(one) for one in lines])
    forgotten(alice)
    assert not Event.objects.filter(session=session).audible().exists()


def test_one_of_two_things_is_told_in_a_chunk_of_its_own(alice):
    session = make_session(alice.agent)
    accept_events(agent=alice.agent, session=session, drafts=[said("Allergic to peanuts.")])
    row = cat(alice)
    row.pk, row.object = None, "peanuts and shellfish"
    row.evidence_quote = "I am allergic to peanuts and shellfish."
    row.save(force_insert=True)
    forgotten(alice, row=row)
    assert not Event.objects.filter(session=session).audible().exists()


@pytest.mark.parametrize(
    "line",
    [
        'I say "never\\ever" to my boss.',
        "I say\nnever ever to my boss",
        "I say never, ever: to my boss!",
    ],
)
def test_a_quote_is_found_however_it_is_written(alice, line):
    session = make_session(alice.agent)
    accept_events(agent=alice.agent, session=session, drafts=[said(line)])
    row = cat(alice)
    row.pk, row.object, row.evidence_quote = None, "", "I say never ever to my boss"
    row.save(force_insert=True)
    forgotten(alice, row=row)
    assert not Event.objects.filter(session=session).audible().exists()


def test_a_lane_put_back_to_a_snapshot_does_not_tell_it(alice):
    session = make_session(alice.agent)
    window = LaneWindow.objects.get(session=session, lane="edge")
    ReferenceSummary.objects.create(
        window=window,
        text="She has a cat, Minka. She likes bread.",
        facts=[CAT, BREAD],
        version=1,
    )
    take_snapshot(session=session)
    forgotten(alice)

    restore_lanes(session=session)

    row = ReferenceSummary.objects.get(window=window)
    assert row.text == "She likes bread."
    assert row.facts == [BREAD]


def test_with_an_arc_go_the_archives_of_its_session(alice):
    arc = Arc.objects.filter(owner=alice).order_by("started_at").first()
    assert arc is not None
    add = Add("porter-1", "They spoke of bread.", kind=EntryKind.ARCHIVE)
    archive = apply_operation(owner=alice, operation=add).entry
    CompactMarker.objects.create(
        session_id=arc.session,
        lane="edge",
        number=1,
        seq=2,
        folded=[1, 2],
        archive_name=archive.name,
        archived_at=timezone.now(),
    )
    act = forgotten(alice, row=arc, kind="arc")
    archive.refresh_from_db()
    assert archive.content == ""
    take_back_forgetting(owner=alice, act=act.pk, actor="alice")
    archive.refresh_from_db()
    assert archive.content == "They spoke of bread."


def test_an_observation_that_tells_it_is_not_worked_in_later(alice):
    observe(
        owner=alice,
        event_type="fact",
        content="Minka needs her pills daily.",
        source="interactive",
        session=None,
        observed_at=timezone.now(),
        key="vet:1",
    )
    forgotten(alice)
    synthesise(alice)
    assert "Minka" not in prompt(alice)


def test_when_it_is_final_its_words_stand_in_the_log_alone(alice):
    act = forgotten(alice)
    make_final(owner=alice, act=act.pk, actor="alice")
    assert set(_tables_with("Minka")) == {"memory_chunk", "memory_event"}


@pytest.mark.django_db(transaction=True)
def test_twice_at_the_same_time_it_is_forgotten_once(alice):
    row, acts, faults = cat(alice), list[Forgetting | None](), list[Exception]()

    def act() -> None:
        try:
            wait_for_locks()
            doomed = Target("fact", row.pk, row.version)
            acts.append(forget(owner=alice, items=[doomed], actor="alice", keep_for=WEEK).act)
        except OperationalError as fault:
            faults.append(fault)
        finally:
            connections.close_all()

    both = [Thread(target=act) for _ in range(4)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert faults == []
    assert [one is None for one in acts].count(False) == 1


def _tables_with(word: str) -> list[str]:
    found = []
    with connection.cursor() as cursor:
        for model in apps.get_models():
            table = model._meta.db_table
            cursor.execute(f"select from {table} t where t::text like %s limit 1", [f"%{word}%"])
            found += [table] if cursor.rowcount else []
    return found

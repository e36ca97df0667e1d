"""What a heartbeat keeps, and the way back to it."""

import pytest

from consolidation.compaction.request import request_compaction
from consolidation.intake.accept import accept_events, end_session
from memory.errors import NoSnapshot, SessionClosed
from memory.events import verify_chain
from memory.models import Event, LaneWindow, ReferenceSummary, Snapshot
from memory.snapshots import KEPT, restore_lanes, take_snapshot
from tests.factories import make_agent, make_session, run_jobs, said


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def cook(db):
    return make_agent("cook", window_events=10)


def talk(agent, session, turns):
    for place in range(turns):
        drafts = [
            said(f"I like dish number {place} best of all the dishes that there are, I think."),
            said("Noted.", "assistant"),
        ]
        accept_events(agent=agent, session=session, drafts=drafts)


def shown(session):
    window = LaneWindow.objects.get(session=session, lane="edge")
    return [*window.kept, *range(window.start_seq, window.last_seq + 1)]


@pytest.mark.requirement("CH-48")
def test_a_snapshot_holds_summary_and_boundaries_of_both_lanes(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    accept_events(agent=cook, session=session, drafts=[said("Hm.", lane="core")])
    run_jobs()

    taken = take_snapshot(session=session)

    summary = ReferenceSummary.objects.get(window__session=session)
    edge, core = taken.lanes["edge"], taken.lanes["core"]
    assert (edge["summary"], edge["summary_version"]) == (summary.text, 1)
    assert edge["facts"] == summary.facts
    assert (edge["start_seq"], edge["last_seq"]) == (11, 16)
    assert (core["start_seq"], core["last_seq"], core["summary_version"]) == (1, 1, 0)


@pytest.mark.requirement("CH-49")
def test_restoring_shows_again_what_was_folded_since_and_loses_nothing(cook):
    session = make_session(cook)
    talk(cook, session, 8)
    run_jobs()
    before = ReferenceSummary.objects.get(window__session=session)
    take_snapshot(session=session)
    talk(cook, session, 8)
    run_jobs()
    assert shown(session) != list(range(11, 33))

    restore_lanes(session=session)

    after = ReferenceSummary.objects.get(window__session=session)
    assert (after.text, after.facts) == (before.text, before.facts)
    assert after.version > before.version
    assert shown(session) == list(range(11, 33))
    assert Event.objects.filter(session=session, lane="edge").count() == 32
    assert verify_chain(session) == []
    request_compaction(session=session, lane="edge", trigger="api")
    run_jobs()
    assert len(shown(session)) < 22


@pytest.mark.requirement("CT-18")
@pytest.mark.requirement("CT-19")
def test_with_archives_the_lane_is_as_its_markers_say(db):
    agent = make_agent("cook", window_events=10)
    session = make_session(agent, strategy="archive")
    take_snapshot(session=session)
    talk(agent, session, 8)
    request_compaction(session=session, lane="edge", trigger="api")
    run_jobs()
    folded = shown(session)
    LaneWindow.objects.update(start_seq=1, kept=[])

    restore_lanes(session=session)

    assert shown(session) == folded == [15, 16]


def test_only_the_latest_are_kept(cook):
    session = make_session(cook)

    taken = [take_snapshot(session=session).pk for _ in range(KEPT + 2)]

    kept = Snapshot.objects.filter(session=session).order_by("pk").values_list("pk", flat=True)
    assert list(kept) == taken[2:]


def test_without_a_snapshot_it_says_so(cook):
    with pytest.raises(NoSnapshot):
        restore_lanes(session=make_session(cook))


def test_an_ended_session_stays_as_it_ended(cook):
    session = make_session(cook)
    take_snapshot(session=session)
    end_session(session=session, reason="explicit")

    with pytest.raises(SessionClosed):
        restore_lanes(session=session)


@pytest.mark.requirement("CH-74")
def test_the_summary_of_the_end_is_in_the_final_snapshot(cook):
    session = make_session(cook)
    talk(cook, session, 3)
    end_session(session=session, reason="explicit")
    run_jobs()

    session.refresh_from_db()
    final = Snapshot.objects.get(session=session, is_final=True)
    assert session.summary
    assert final.summary == session.summary
    assert take_snapshot(session=session, is_final=True).pk == final.pk


def test_heartbeats_after_the_end_leave_the_final_snapshot(cook):
    session = make_session(cook)
    take_snapshot(session=session, summary="All was said.", is_final=True)

    for _ in range(KEPT + 1):
        take_snapshot(session=session)

    assert Snapshot.objects.get(session=session, is_final=True).summary == "All was said."
    assert Snapshot.objects.filter(session=session, is_final=False).count() == KEPT

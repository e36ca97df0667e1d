import pytest

from consolidation.intake.accept import accept_events
from memory.messages import Draft
from memory.models import Event, Session
from recall.prompt.view import load_view
from tests.factories import make_session, said


@pytest.fixture
def session(porter) -> Session:
    opened = make_session(porter)
    drafts = [said(f"line {number}") for number in range(1, 7)]
    accept_events(agent=porter, session=opened, drafts=drafts)
    return Session.objects.select_related("owner__agent__organization").get(pk=opened.pk)


def numbers(view) -> list[int]:
    return [event.seq for event in view.events]


def test_shown_is_what_follows_the_start_and_what_was_kept(session):
    session.windows.filter(lane="edge").update(start_seq=5, kept=[2])

    assert numbers(load_view(session, "edge")) == [2, 5, 6]


def test_a_bound_keeps_the_newest_in_their_order(session):
    assert numbers(load_view(session, "edge", most=2)) == [5, 6]


@pytest.mark.requirement("CH-21")
@pytest.mark.requirement("CH-22")
def test_a_bound_leaves_out_neither_a_job_nor_the_users_latest_words(porter):
    session = make_session(porter)
    job = Draft("CoreJobStart", {"content": "Book the train."}, lane="core")
    words = Draft("UserMsg", {"content": "To Lyon, please."}, lane="core")
    work = [Draft("ModelOutput", {"content": f"step {n}"}, lane="core") for n in range(4)]
    accept_events(agent=porter, session=session, drafts=[words, job, words, *work])

    assert numbers(load_view(session, "core", most=2)) == [2, 3, 6, 7]
    assert numbers(load_view(session, "core", most=5)) == [2, 3, 4, 5, 6, 7]
    assert numbers(load_view(session, "core", most=6)) == [2, 3, 4, 5, 6, 7]


def test_an_erased_event_is_not_shown(session):
    Event.objects.filter(seq=3).update(payload=None, salt=None)

    assert numbers(load_view(session, "edge")) == [1, 2, 4, 5, 6]


def test_the_other_lane_is_another_view(session):
    assert numbers(load_view(session, "core")) == []

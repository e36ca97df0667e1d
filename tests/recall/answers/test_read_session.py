"""A session as its writers committed it, page by page."""

from uuid import UUID

import pytest

from memory.models import Event
from recall.answers.session_log import find_by_keyword, read_session
from recall.errors import EventUnknown
from tests.factories import make_ended_session, make_session

WORDS = ["cat one", "cat two", "cat three", "cat four"]


def read(agent, session, limit, after=None):
    events, following = read_session(
        agent=agent, owner=session.owner, session=session.pk, limit=limit, after=after
    )
    return [event.content["content"] for event in events], following


def test_events_come_as_they_were_committed_whatever_their_ids(porter):
    session = make_ended_session(porter, WORDS)
    # A writer that waited long for the session has made its id before those it waited for.
    Event.objects.filter(session=session, seq=3).update(id=UUID(int=1))

    first, following = read(porter, session, 2)
    rest, end = read(porter, session, 2, following)

    assert (first + rest, end) == (WORDS, None)
    newest = find_by_keyword(session=session, query="cat", limit=4)
    assert [event.seq for event in newest] == [4, 3, 2, 1]


def test_a_page_after_an_event_of_another_session_is_none(porter):
    session, other = make_session(porter), make_ended_session(porter, WORDS)
    foreign = Event.objects.filter(session=other).first()

    with pytest.raises(EventUnknown):
        read(porter, session, 2, foreign.pk)

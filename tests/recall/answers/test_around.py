from dataclasses import replace

import pytest

from consolidation.intake.accept import accept_events, end_session
from memory.models import Event
from recall.answers.around import LONGEST_TOKENS, fit_around, load_around
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode
from tests.factories import make_ended_session, make_session, run_jobs, said

TEXTS = ["zero", "one", "two", "a cat", "four", "five", "six", "seven"]


def hits_of(session, query="cat"):
    return search(owner=session.owner, query=query, limit=20, mode=SearchMode.TEXT).hits


def around(session, widen, query="cat"):
    """Return what stands before and after the best hit, nearest first."""
    hits = hits_of(session, query)
    found = load_around(owner=session.owner, hits=hits, widen=widen)[hits[0].id]
    return words(found.before), words(found.after)


def words(events):
    return [event.content["content"] for event in events]


@pytest.mark.parametrize(
    ("widen", "before", "after"),
    [(1, ["two"], ["four"]), (3, ["two", "one", "zero"], ["four", "five", "six"])],
)
def test_it_finds_as_many_events_on_each_side_as_asked_for(porter, widen, before, after):
    session = make_ended_session(porter, TEXTS)

    assert around(session, widen) == (before, after)


def test_it_ends_where_the_session_does(porter):
    make_ended_session(porter, ["earlier"])
    session = make_ended_session(porter, ["a cat", "last"])
    make_ended_session(porter, ["later"])

    assert around(session, 3) == ([], ["last"])


def test_it_stays_in_the_lane(porter):
    session = make_session(porter)
    drafts = [said("in edge"), said("a cat"), replace(said("thought"), lane="core")]
    accept_events(agent=porter, session=session, drafts=drafts)
    end_session(session=session, reason="explicit")
    run_jobs()

    assert around(session, 2) == (["in edge"], [])


def test_what_belongs_to_the_hit_is_not_beside_it(porter):
    session = make_session(porter)
    phase = [replace(said(text), skill_phase="baking") for text in ("a cat", "flour", "salt")]
    accept_events(
        agent=porter, session=session, drafts=[said("before"), *phase, said("after"), said("end")]
    )
    end_session(session=session, reason="explicit")
    run_jobs()

    assert around(session, 1) == (["before"], ["after"])


def test_it_leaves_out_what_was_erased_and_what_is_too_long(porter):
    session = make_ended_session(porter, TEXTS)
    Event.objects.filter(session=session, seq=3).update(payload=None, salt=None)
    Event.objects.filter(session=session, seq=5).update(tokens=LONGEST_TOKENS + 1)

    assert around(session, 2) == (["one"], ["five"])


def test_it_asks_once_for_all_hits(porter, django_assert_num_queries):
    make_ended_session(porter, ["a cat", "and more"])
    session = make_ended_session(porter, ["nothing", "a cat", "nothing", "another cat"])
    owner, hits = session.owner, hits_of(session)

    with django_assert_num_queries(1):
        found = load_around(owner=owner, hits=hits, widen=3)

    assert found.keys() == {hit.id for hit in hits}
    assert len(found) == 3


def test_it_asks_nothing_when_nothing_was_found(porter, django_assert_num_queries):
    owner = make_ended_session(porter, TEXTS).owner

    with django_assert_num_queries(0):
        assert load_around(owner=owner, hits=[], widen=3) == {}


def test_a_budget_keeps_the_nearest_of_the_best_hit(porter):
    session = make_ended_session(porter, ["far " * 40, "near", "a cat", "next", "end " * 40])
    hits = hits_of(session)
    found = load_around(owner=session.owner, hits=hits, widen=2)
    room = sum(event.tokens for event in [found[hits[0].id].before[0], found[hits[0].id].after[0]])

    kept = fit_around(found, room)

    assert words(kept[hits[0].id].before) == ["near"]
    assert words(kept[hits[0].id].after) == ["next"]


def test_a_budget_that_is_spent_leaves_nothing_for_the_next_hit(porter):
    session = make_ended_session(porter, ["one", "a cat", "two", "three", "four", "a black cat"])
    hits = hits_of(session)
    found = load_around(owner=session.owner, hits=hits, widen=1)

    kept = fit_around(found, found[hits[0].id].tokens)

    assert kept[hits[0].id] == found[hits[0].id]
    assert kept[hits[1].id].tokens == 0

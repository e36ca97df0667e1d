"""Mid-term memory holds the newest sessions; older ones are found by their summaries and words."""

import pytest

from consolidation.intake.accept import accept_events, end_session
from memory.events import verify_chain
from memory.models import Chunk, Embedding, Event, Session
from memory.tiers import promote
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode
from tests.factories import make_agent, make_ended_session, make_session, run_jobs, said


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def cook(db):
    """Return an agent that keeps two sessions in mid-term memory."""
    return make_agent("cook", mid_term_sessions=2)


def tiers():
    return [session.tier for session in Session.objects.order_by("ended_at")]


def vectors(session):
    numbers = session.chunks.values("number")
    return Embedding.objects.filter(owner=session.owner, document__in=numbers).count()


@pytest.mark.requirement("CH-04")
@pytest.mark.requirement("CH-52")
@pytest.mark.requirement("CH-55")
@pytest.mark.requirement("CH-77")
def test_the_oldest_session_beyond_the_number_moves(cook):
    for place in range(4):
        make_ended_session(cook, [f"I like dish number {place}."])

    assert tiers() == ["long_term", "long_term", "mid_term", "mid_term"]


def test_each_owner_has_sessions_of_their_own(cook):
    for user in ("alice", "bob", "alice", "bob"):
        make_ended_session(cook, ["I like pasta."], user)

    assert tiers() == ["mid_term"] * 4


@pytest.mark.requirement("CH-05")
@pytest.mark.requirement("CH-56")
@pytest.mark.requirement("CH-57")
@pytest.mark.requirement("CH-58")
@pytest.mark.requirement("CH-59")
def test_its_summary_gets_vectors_and_its_details_lose_theirs(cook, settings):
    settings.LONG_TERM_VECTORS = "summaries"
    session = make_ended_session(cook, [f"I like dish number {n} very much." for n in range(40)])
    events = list(Event.objects.filter(session=session).order_by("seq").values())
    for _ in range(2):
        make_ended_session(cook, ["I like tea."])

    details = session.chunks.filter(tier="long_term_detail")
    summaries = session.chunks.filter(tier="long_term_summary")
    assert details.count() == 40
    assert {chunk.embedding_state for chunk in details} == {"dropped"}
    assert {chunk.text for chunk in details} == {event["payload"]["content"] for event in events}
    assert summaries
    assert {chunk.embedding_state for chunk in summaries} == {"done"}
    assert vectors(session) == summaries.count()
    assert list(Event.objects.filter(session=session).order_by("seq").values()) == events
    assert verify_chain(session) == []


@pytest.mark.requirement("CH-60")
def test_meaning_finds_summaries_and_words_find_details_as_well(cook):
    session = make_ended_session(cook, ["I like oysters with lemon.", "The shed is blue."])
    for _ in range(2):
        make_ended_session(cook, ["I like tea."])

    by_meaning = search(owner=session.owner, query="oysters", limit=20, mode=SearchMode.SEMANTIC)
    by_words = search(owner=session.owner, query="oysters", limit=20, mode=SearchMode.TEXT)

    assert {hit.tier for hit in by_meaning.hits} == {"mid_term", "long_term_summary"}
    assert "long_term_detail" in {hit.tier for hit in by_words.hits}
    old = next(hit for hit in by_words.hits if hit.tier == "long_term_detail")
    assert old.text == "I like oysters with lemon."
    assert len(old.events) == 1


@pytest.mark.requirement("CH-92")
def test_without_a_summary_it_moves_all_the_same(cook, settings):
    settings.CHAT = "null"
    session = make_ended_session(cook, ["I like oysters with lemon."])
    for _ in range(2):
        make_ended_session(cook, ["I like tea."])

    session.refresh_from_db()
    assert session.tier == "long_term"
    assert not session.chunks.filter(tier="long_term_summary").exists()
    assert search(owner=session.owner, query="oysters", limit=5).hits[0].session == session.pk


def test_a_second_move_changes_nothing(cook):
    session = make_ended_session(cook, ["I like oysters."])
    assert promote(session=session, language="english", keeps_vectors=False)
    chunks = Chunk.objects.count()

    assert not promote(session=session, language="english", keeps_vectors=False)
    assert Chunk.objects.count() == chunks


def test_a_session_whose_vectors_still_wait_moves_and_gets_none(cook):
    session = make_session(cook)
    accept_events(agent=cook, session=session, drafts=[said("I like oysters.")])
    end_session(session=session, reason="explicit")
    run_jobs(1)
    session.refresh_from_db()
    assert session.chunks.waiting_for_a_vector().exists()

    promote(session=session, language="english", keeps_vectors=False)
    run_jobs()

    assert vectors(session) == session.chunks.filter(tier="long_term_summary").count()
    session.refresh_from_db()
    assert session.state == "closed"

"""The four tiers of an agent's memory, and who writes them."""

import pytest

from accounts.owners import agent_owner
from consolidation.intake.accept import accept_events, end_session
from knowledge.documents.agent import put_document
from knowledge.models import KnowledgeDocument
from memory.models import Chunk, Embedding, LaneWindow
from tests.factories import make_agent, make_ended_session, make_session, run_jobs, said


@pytest.fixture
def cook(db, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return make_agent("cook", mid_term_sessions=1, window_events=4)


def know(agent, key, content):
    put_document(owner=agent_owner(agent), key=key, content=content, language="english")


@pytest.mark.requirement("CH-01")
@pytest.mark.requirement("CH-03")
def test_working_memory_has_no_vector_and_the_others_have_their_places(cook, settings):
    settings.LONG_TERM_VECTORS = "summaries"
    know(cook, "trains", "Trains leave at nine.")
    for _ in range(2):
        make_ended_session(cook, ["I like oysters."])
    working = make_session(cook)
    accept_events(agent=cook, session=working, drafts=[said("I like tea.")])
    run_jobs()

    assert LaneWindow.objects.get(session=working, lane="edge").last_seq == 1
    assert not Chunk.objects.filter(session=working).exists()
    assert {chunk.tier for chunk in Chunk.objects.all()} == {
        "mid_term",
        "long_term_summary",
        "long_term_detail",
    }
    numbers = Chunk.objects.exclude(tier="long_term_detail").values_list("number", flat=True)
    vectors = Embedding.objects.filter(owner=working.owner).values_list("document", flat=True)
    assert sorted(vectors) == sorted(numbers)
    assert KnowledgeDocument.objects.count() == 1


@pytest.mark.requirement("CH-02")
def test_no_job_writes_knowledge(cook):
    know(cook, "home", "I live in Graz.")
    run_jobs()
    before = list(KnowledgeDocument.objects.values("pk", "key", "content", "version", "updated_at"))

    session = make_session(cook)
    for place in range(6):
        drafts = [
            said(f"My home is Linz now, number {place}. Remember that home is Linz."),
            said("Noted.", "assistant"),
        ]
        accept_events(agent=cook, session=session, drafts=drafts)
        run_jobs()
    for _ in range(2):
        make_ended_session(cook, ["My home is Wien. I decided that."])

    after = list(KnowledgeDocument.objects.values("pk", "key", "content", "version", "updated_at"))
    assert after == before


@pytest.mark.requirement("CH-04")
def test_a_session_in_which_nothing_was_said_takes_nobodys_place(cook):
    full = make_ended_session(cook, ["I like oysters."])

    for _ in range(2):
        end_session(session=make_session(cook), reason="explicit")
    run_jobs()

    full.refresh_from_db()
    assert full.tier == "mid_term"

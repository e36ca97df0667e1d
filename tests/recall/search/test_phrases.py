"""Exact phrases, found by the stored tsvector and its index."""

import pytest
from django.db import connection

from accounts.owners import agent_owner
from consolidation.embedding.documents import keep_document
from memory.models import Chunk, Embedding
from providers.registry import embedder
from recall.search import phrases
from recall.search.fuse import FusedQuestion, search_stores
from recall.search.hits import Filters
from recall.search.questions.question import SearchMode
from tests.factories import make_ended_session


def texts(*, query, mode=SearchMode.TEXT, filters=None, limit=9, **owners) -> list[str]:
    asked = FusedQuestion(query, limit, mode, filters or Filters())
    owners = {"sessions": None, "knowledge": None, **owners}
    return [hit.text for hit in search_stores(asked=asked, **owners).hits]


SAID = ["A blue whale swam by.", "The whale was not blue.", "To be or not to be?"]


@pytest.mark.requirement("CH-84")
def test_chunks_without_vectors_are_found_word_for_word(porter, settings):
    settings.EMBEDDER = "null"
    embedder.cache_clear()
    owner = make_ended_session(porter, SAID).owner
    assert not Embedding.objects.exists()

    assert texts(sessions=owner, query='"blue whale"') == ["A blue whale swam by."]
    assert texts(sessions=owner, query='"or not to be"') == ["To be or not to be?"]
    assert texts(sessions=owner, query='"whale blue"') == []
    assert set(texts(sessions=owner, query='"whale" -swam')) == {"The whale was not blue."}


def test_without_quotes_the_words_count_in_any_order(porter):
    owner = make_ended_session(porter, SAID).owner

    assert set(texts(sessions=owner, query="blue whale")) == set(SAID[:2])


@pytest.mark.parametrize("query", ['"_"', '" "', '"" whale', '"', '"猫"'])
def test_what_is_no_phrase_does_not_find_everything(porter, query):
    owner = make_ended_session(porter, ["one thing", "我家有一只猫"]).owner

    assert texts(sessions=owner, query=query) in ([], ["我家有一只猫"])


def test_a_signal_and_the_way_are_said(porter):
    owner = make_ended_session(porter, SAID).owner

    found = phrases.search_phrase(owner=owner, query='"blue whale"', limit=5, filters=Filters())

    assert found.searched_by == found.profile == "phrase"
    assert 0 < found.hits[0].signals.words == found.hits[0].score < 1
    assert len(found.hits[0].events) == 1


def test_it_keeps_to_the_owner_and_to_the_filters(porter, rival):
    first = make_ended_session(porter, SAID)
    make_ended_session(porter, ["A blue whale again."])
    bobs = make_ended_session(porter, ["nothing"], user="bob")
    here = Filters(session=first.pk)

    assert texts(sessions=bobs.owner, query='"blue whale"') == []
    assert texts(sessions=first.owner, query='"blue whale"', filters=here) == [SAID[0]]


@pytest.mark.requirement("CH-65")
def test_documents_are_found_word_for_word(porter):
    for content in SAID:
        keep_document(agent=porter, actor="test", content=content)
    owner = agent_owner(porter)

    assert texts(knowledge=owner, query='"blue whale"') == ["A blue whale swam by."]
    assert texts(knowledge=owner, query='"blue whale"', filters=Filters(speaker="user")) == []


@pytest.mark.requirement("CH-84")
@pytest.mark.requirement("CH-88")
def test_the_index_is_used(porter):
    session = make_ended_session(porter, ["A blue whale swam by."])
    chunk = Chunk.objects.get()
    values = {"block": 1, "session": session, "lane": "edge", "kind": "fixed", "last_seq": 1}
    values |= {"occurred_at": chunk.occurred_at, "language": "english", "tokens": 3, "passage": 0}
    Chunk.objects.bulk_create(
        Chunk(owner=session.owner, number=n, first_seq=n, text=f"filler {n} " * 30, **values)
        for n in range(10, 3_010)
    )
    asked = phrases._values(session.owner, '"blue whale"', 5, Filters())
    asked |= {"session": None, "speaker": None}
    with connection.cursor() as cursor:
        cursor.execute("select gin_clean_pending_list('chunk_tsv')")
        cursor.execute("analyze memory_chunk")
        cursor.execute("explain " + phrases.SESSIONS, asked)  # type: ignore[arg-type]  # values
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "Bitmap Index Scan on chunk_tsv" in plan

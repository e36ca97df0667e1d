"""A search looks in exactly one space: another's vectors, however near, change nothing."""

from statistics import fmean, pstdev

import pytest
from django.db import connection
from pgvector import HalfVector

from accounts.owners import find_agent_owner
from consolidation.embedding.documents import keep_document
from knowledge.models import KnowledgeDocument, KnowledgeEmbedding
from memory import graphs
from memory.models import Chunk, Embedding, EmbeddingSpace
from memory.spaces import switch
from memory.vectors import driver
from providers.hashing import HashingEmbedder
from ranking.tokens import fold, query_terms, term_id
from recall.search.documents import search_knowledge
from recall.search.hits import Filters
from recall.search.messages.search import run, search
from recall.search.questions.question import Question, SearchMode
from recall.search.ranking_profiles import PROFILES
from tests.factories import make_ended_session, run_jobs

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = ["We planted tomatoes.", "The train was late.", "She plays the cello.", "Trout for supper."]
QUERY = "the tomatoes we planted"


def decoys(model: str, dimension: int) -> EmbeddingSpace:
    """Fill another space so that the worst answer is the question's very vector there."""
    driver()
    space = EmbeddingSpace.objects.create(model=model, version="1", dimension=dimension)
    (vector,) = HashingEmbedder(dimension).embed([QUERY])
    for chunk in Chunk.objects.all():
        sign = -1 if chunk.text == TEXTS[0] else 1
        Embedding.objects.create(
            owner_id=chunk.owner_id,
            space=space,
            document=chunk.number,
            embedding=HalfVector(vector * sign),
        )
    return space


def answers(owner, query=QUERY):
    """Return what is found by vectors alone, and by both arms with every score."""
    by_vectors = search(owner=owner, query=query, limit=9, mode=SearchMode.SEMANTIC).hits
    space = EmbeddingSpace.objects.current()
    (vector,) = HashingEmbedder(space.dimension).embed([query])
    terms = [term_id(word) for word in query_terms(query, "english")]
    question = Question(terms, fold(query), vector, space)
    profile = PROFILES["calibrated"]
    both = run(owner=owner, question=question, limit=9, filters=Filters(), profile=profile)
    filtered = run(
        owner=owner, question=question, limit=9, filters=Filters(speaker="user"), profile=profile
    )
    return [
        [(hit.text, hit.score, hit.signals) for hit in hits]
        for hits in (by_vectors, both, filtered)
    ]


@pytest.mark.requirement("OC-85")
@pytest.mark.requirement("XX-07")
@pytest.mark.parametrize(("model", "dimension"), [("decoy", 384), ("decoy", 64), ("hashing", 64)])
def test_vectors_of_another_model_or_dimension_are_skipped(porter, model, dimension):
    owner = make_ended_session(porter, TEXTS).owner
    before = answers(owner)

    decoys(model, dimension)

    assert answers(owner) == before
    assert before[0][0][0] == TEXTS[0]
    assert len(before[0]) == len(TEXTS)


def test_so_they_are_where_signs_are_searched(porter, monkeypatch):
    owner = make_ended_session(porter, TEXTS).owner
    monkeypatch.setattr("recall.search.messages.search.LONGEST_IN_INDEX", 10)
    signs = "update memory_embedding set bits = binary_quantize(embedding)::bit varying"
    with connection.cursor() as cursor:
        cursor.execute(signs)
    before = answers(owner)

    decoys("decoy", 384)
    decoys_of_another_length = EmbeddingSpace.objects.filter(model="decoy")
    decoys_of_another_length.update(state="retired")
    decoys("decoy", 64)
    with connection.cursor() as cursor:
        cursor.execute(signs)

    assert answers(owner) == before
    assert before[0][0][0] == TEXTS[0]


def test_so_they_are_where_an_owner_has_a_graph(porter, settings):
    settings.GRAPH_ROWS = 1
    owner = make_ended_session(porter, TEXTS).owner
    graphs.grow()
    before = answers(owner)

    space = decoys("decoy", 384)
    graphs.build(space)

    assert answers(owner) == before
    assert before[0][0][0] == TEXTS[0]
    graphs.drop(space)


def usual(texts):
    """Return the mean cosine with the last text and one standard deviation, of 64 dimensions."""
    vectors = HashingEmbedder(64).embed(texts)
    cosines = [float(vector @ vectors[2]) for vector in vectors]
    return fmean(cosines) + pstdev(cosines)


def test_the_question_is_embedded_by_the_model_of_the_space_that_is_searched(porter):
    owner = make_ended_session(porter, TEXTS).owner
    space = EmbeddingSpace.objects.create(model="hashing", version="1", dimension=64)
    driver()
    for chunk in Chunk.objects.all():
        (vector,) = HashingEmbedder(64).embed([chunk.text])
        Embedding.objects.create(
            owner=owner, space=space, document=chunk.number, embedding=HalfVector(vector)
        )

    switch(space)

    found = search(owner=owner, query=TEXTS[2], limit=1, mode=SearchMode.SEMANTIC)
    assert [hit.text for hit in found.hits] == [TEXTS[2]]
    # The vector of the same text in that space: nothing else exceeds the usual as far.
    assert found.hits[0].signals.meaning == pytest.approx(1 - usual(TEXTS), abs=0.01)


def test_so_they_are_among_documents(porter):
    for text in TEXTS:
        keep_document(agent=porter, actor="test", content=text)
    run_jobs()
    owner = find_agent_owner(porter)

    def found():
        hits = search_knowledge(owner=owner, query=QUERY, limit=9, mode=SearchMode.SEMANTIC).hits
        return [(hit.text, hit.score) for hit in hits]

    before = found()
    space = EmbeddingSpace.objects.create(model="decoy", version="1", dimension=384)
    (vector,) = HashingEmbedder().embed([QUERY])
    for document in KnowledgeDocument.objects.all():
        KnowledgeEmbedding.objects.create(
            owner=owner, space=space, document=document.number, embedding=HalfVector(vector)
        )

    assert found() == before
    assert before[0][0] == TEXTS[0]

"""The one statement against the reference, and its arms against each other."""

import random

import pytest
from django.db import connection

from accounts.owners import resolve_owner
from memory import graphs
from memory.models import EmbeddingSpace, OwnerIndex
from providers.hashing import HashingEmbedder
from ranking.tokens import fold, query_terms, term_id
from recall import statement as statements
from recall.profiles import ADJACENT, ADJACENT_WORDS, CALIBRATED, RANKS, WORDS
from recall.search import Filters, Question, run
from tests.factories import make_ended_session
from tests.recall.reference import calibrated

WORD_LIST = [
    "garden",
    "tomato",
    "water",
    "compost",
    "trout",
    "river",
    "library",
    "monday",
    "ruler",
    "fence",
    "rain",
    "clay",
    "seed",
]


def make_question(text: str, *, has_vector: bool = True) -> Question:
    terms = [term_id(term) for term in query_terms(text, "english")]
    (vector,) = HashingEmbedder().embed([text])
    space = EmbeddingSpace.objects.first()
    return Question(terms, fold(text), vector if has_vector else None, space)


@pytest.fixture
def owner(porter):
    """Give alice three sessions of random sentences, one of them long."""
    chance = random.Random(7)
    for _ in range(3):
        texts = [" ".join(chance.choices(WORD_LIST, k=chance.randint(3, 12))) for _ in range(8)]
        texts.append(". ".join(" ".join(chance.choices(WORD_LIST, k=9)) for _ in range(40)))
        session = make_ended_session(porter, texts)
    return session.owner


def found(owner, question, profile=CALIBRATED, filters=None):
    hits = run(
        owner=owner, question=question, limit=100, filters=filters or Filters(), profile=profile
    )
    return {hit.block: hit.score for hit in hits}


@pytest.mark.parametrize("text", ["garden tomato", "what did the user water on monday?", "clay"])
@pytest.mark.parametrize("has_vector", [True, False])
def test_it_scores_as_the_reference_does(owner, text, has_vector):
    question = make_question(text, has_vector=has_vector)

    scores = found(owner, question, CALIBRATED if has_vector else WORDS)

    expected = calibrated(owner.pk, text, question.vector)
    assert scores.keys() == expected.keys()
    assert scores == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("has_vector", [True, False])
def test_the_older_formula_counts_only_what_is_right_beside(owner, has_vector):
    question = make_question("garden tomato", has_vector=has_vector)

    scores = found(owner, question, ADJACENT if has_vector else ADJACENT_WORDS)

    expected = calibrated(owner.pk, "garden tomato", question.vector, farther=0.0)
    assert scores == pytest.approx(expected, abs=2e-3)


def test_frequent_terms_scored_last_change_no_score(owner, monkeypatch):
    question = make_question("garden tomato river")
    plain = found(owner, question)
    monkeypatch.setattr(statements, "FREQUENT_CHUNKS", 2)
    statements.statement.cache_clear()

    pruned = found(owner, question)

    statements.statement.cache_clear()
    assert pruned == pytest.approx(plain, abs=1e-9)


def test_a_bar_that_the_rare_terms_can_prove_keeps_the_best(owner, monkeypatch):
    question = make_question("garden tomato river", has_vector=False)
    plain = sorted(found(owner, question, WORDS).values(), reverse=True)
    monkeypatch.setattr(statements, "FREQUENT_CHUNKS", 2)
    monkeypatch.setattr(statements, "FREQUENT_SHARE", 0.9)
    statements.statement.cache_clear()

    pruned = found(owner, question, WORDS)

    statements.statement.cache_clear()
    assert max(pruned.values()) == pytest.approx(plain[0])


def test_ranks_add_up_to_at_most_two_first_places(owner):
    scores = found(owner, make_question("garden tomato"), RANKS)

    assert 0 < max(scores.values()) <= 2 / 61


def test_signs_then_exact_rank_as_exact_does(owner, monkeypatch):
    question = make_question("garden tomato")
    exact = found(owner, question)
    with_signs(owner)
    monkeypatch.setattr("recall.search.LONGEST_IN_INDEX", 10)

    signs = found(owner, question)

    assert signs == pytest.approx(exact, abs=1e-6)


def with_signs(owner):
    with connection.cursor() as cursor:
        cursor.execute("update memory_embedding set bits = binary_quantize(embedding)::bit varying")


@pytest.mark.requirement("CH-89")
@pytest.mark.django_db(transaction=True)
def test_an_owner_with_a_graph_is_answered_as_before(porter, settings):
    session = make_ended_session(
        porter, [f"{word} number {n}" for n in range(9) for word in WORD_LIST]
    )
    question = make_question("tomato number 4")
    exact = found(session.owner, question)
    settings.GRAPH_ROWS = 50

    built = graphs.grow()

    assert built == 1
    with connection.cursor() as cursor:
        name = f"memory_graph_{session.owner_id}_{question.space.pk}"
        cursor.execute("select indexdef from pg_indexes where indexname = %s", (name,))
        ((index,),) = cursor.fetchall()
    assert "USING hnsw" in index
    assert "halfvec_cosine_ops" in index
    assert OwnerIndex.objects.get().graph_space == question.space.pk
    assert graphs.grow() == 0
    graph = found(session.owner, question)
    assert max(graph.values()) == pytest.approx(max(exact.values()), abs=1e-6)
    assert len(graph.keys() & exact.keys()) / len(exact) > 0.9


def test_a_filter_leaves_only_what_it_asks_for(owner):
    question = make_question("garden tomato")
    one = owner.session_set.order_by("opened_at").first()

    hits = run(
        owner=owner,
        question=question,
        limit=100,
        filters=Filters(session=one.pk),
        profile=CALIBRATED,
    )

    assert {hit.session for hit in hits} == {one.pk}


def test_an_owner_without_memory_has_no_hits(porter):
    bob = resolve_owner(agent=porter, user="bob")

    assert found(bob, make_question("garden", has_vector=False), WORDS) == {}

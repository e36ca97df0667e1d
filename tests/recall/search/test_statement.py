"""The one statement against the reference, and its arms against each other."""

import random
from dataclasses import asdict, replace
from datetime import timedelta

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pgvector import HalfVector

from accounts.owners import resolve_owner
from consolidation.intake.accept import accept_events, end_session
from knowledge.models import Arc, Fact
from memory import graphs
from memory.models import Embedding, EmbeddingSpace, OwnerIndex
from providers.hashing import HashingEmbedder
from ranking.periods.period import Period
from ranking.tokens import fold, query_terms, term_id
from recall.search.hits import Filters
from recall.search.messages import statement as statements
from recall.search.messages.search import run
from recall.search.questions.question import Question
from recall.search.ranking_profiles import CALIBRATED, RANKS, WORDS
from tests.factories import make_ended_session, make_session, run_jobs, said
from tests.inspector.person.people import make_fact
from tests.inspector.person.remembered import make_arc
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


# Nothing but words and meaning, so that a score is its passage's own.
ALONE = replace(
    CALIBRATED, neighbours=0.0, reply=0.0, session=0.0, summary=0.0, learned=0.0, speaker=0.0
)
WORDS_ALONE = replace(ALONE, meaning=0.0)
TALK = [
    ("user", "ana", "Which animal lives with you?"),
    ("user", "bob", "Luna, a grey parrot"),
    ("user", "bob", "Which animal do you like?"),
    ("assistant", "porter", "The model answers this"),
    ("user", "ana", "It rained all monday"),
]


def make_conversation(agent):
    session = make_session(agent)
    drafts = [said(text, role, name=name) for role, name, text in TALK]
    accept_events(agent=agent, session=session, drafts=drafts)
    end_session(session=session, reason="explicit")
    run_jobs()
    session.refresh_from_db()
    return session


def remember(session):
    """Keep a fact learned from the second message, and an arc of the session, with vectors."""
    space = EmbeddingSpace.objects.get()
    texts = ["which animal lives with you", "which animal lives there"]
    fact, arc = HashingEmbedder().embed(texts)
    learned = make_fact(session.owner, source_session=session.pk, source_turn=2)
    Fact.objects.filter(pk=learned.pk).update(embedding=HalfVector(fact), space=space)
    Arc.objects.filter(session=session.pk).delete()
    about = make_arc(session.owner, texts[1], embedding=HalfVector(arc), space=space)
    Arc.objects.filter(pk=about.pk).update(session=session.pk)


def used_signals(owner, question):
    hits = run(owner=owner, question=question, limit=9, filters=Filters(), profile=CALIBRATED)
    return {name for hit in hits for name, value in asdict(hit.signals).items() if value}


def keep_vectors(owner, share):
    """Take the vectors away of all passages but a share."""
    vectors = Embedding.objects.filter(owner=owner)
    count = vectors.count()
    for place, number in enumerate(vectors.order_by("document").values_list("document", flat=True)):
        if (place * 7) % count >= share * count:
            vectors.filter(document=number).delete()


def found(owner, question, profile=CALIBRATED, filters=None):
    hits = run(
        owner=owner, question=question, limit=100, filters=filters or Filters(), profile=profile
    )
    return {hit.block: hit.score for hit in hits}


@pytest.mark.parametrize("text", ["garden tomato", "what did the user water on monday?", "clay"])
@pytest.mark.parametrize("has_vector", [True, False])
def test_it_scores_as_the_reference_does(owner, text, has_vector):
    question = make_question(text, has_vector=has_vector)
    profile = CALIBRATED if has_vector else WORDS

    scores = found(owner, question, profile)

    expected = calibrated(owner.pk, text, question.vector, profile)
    assert scores.keys() == expected.keys()
    assert scores == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_it_scores_as_the_reference_does_where_vectors_are_missing(owner, share):
    question = make_question("garden tomato fence")
    keep_vectors(owner, share)

    scores = found(owner, question)

    assert scores == pytest.approx(
        calibrated(owner.pk, "garden tomato fence", question.vector), abs=1e-6
    )


def test_without_any_vector_the_words_alone_rank(owner):
    question = make_question("garden tomato fence")
    keep_vectors(owner, 0.0)

    assert found(owner, question) == pytest.approx(
        found(owner, replace(question, vector=None), WORDS), abs=1e-9
    )


def test_it_scores_answers_facts_arcs_and_times_as_the_reference_does(porter):
    session = make_conversation(porter)
    remember(session)
    day = session.events.first().occurred_at
    period = Period(day - timedelta(days=3), day - timedelta(days=2), 0.8, (0, 1))
    question = replace(make_question("which animal lives with you"), periods=[period])

    scores = found(session.owner, question)

    expected = calibrated(
        session.owner_id, "which animal lives with you", question.vector, periods=[period]
    )
    assert scores == pytest.approx(expected, abs=1e-6)
    assert {"reply", "learned", "summary", "time"} <= used_signals(session.owner, question)


def test_an_answer_is_found_by_the_question_it_answers(porter):
    session = make_conversation(porter)
    question = make_question("which animal lives with you", has_vector=False)

    hits = run(owner=session.owner, question=question, limit=9, filters=Filters(), profile=WORDS)

    answer = next(hit for hit in hits if hit.text == "Luna, a grey parrot")
    assert answer.signals.words == 0
    assert answer.signals.reply > 0
    assert "The model answers this" not in {hit.text for hit in hits}


def test_a_summary_stands_for_its_session_only_where_nothing_else_of_it_is_found(porter):
    porter.mid_term_sessions = 1
    porter.save()
    old = make_ended_session(porter, ["The parrot sings.", "Rain all week."])
    make_ended_session(porter, ["Nothing of note."])
    summary = old.chunks.filter(tier="long_term_summary").get()

    hits = run(
        owner=old.owner,
        question=make_question("parrot", has_vector=False),
        limit=9,
        filters=Filters(),
        profile=WORDS,
    )

    assert summary.pk not in {hit.id for hit in hits}
    assert hits[0].text == "The parrot sings."
    assert hits[0].signals.summary > 0


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.sets(st.integers(1, 60), max_size=30), st.sampled_from(["garden tomato", "rain clay seed"])
)
def test_more_vectors_put_nothing_down_by_more_than_they_bring(owner, numbers, text):
    """A passage without a vector loses to another at most what that one's cosine is worth."""
    question = make_question(text)
    words = found(owner, replace(question, vector=None), WORDS_ALONE)
    with transaction.atomic():
        Embedding.objects.filter(owner=owner).exclude(document__in=numbers).delete()
        hits = {
            hit.block: hit
            for hit in run(
                owner=owner,
                question=question,
                limit=100,
                filters=Filters(),
                profile=ALONE,
            )
        }
        transaction.set_rollback(True)
    for block, hit in hits.items():
        if not hit.has_vector:
            continue
        for other in hits.values():
            if other.signals.meaning == 0 and words.get(other.block, 0) >= words.get(block, 0):
                lead = hit.score - other.score
                assert lead <= ALONE.meaning * max(hit.signals.meaning, 0) + 1e-9


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
    monkeypatch.setattr("recall.search.messages.search.LONGEST_IN_INDEX", 10)

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

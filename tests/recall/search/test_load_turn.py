from dataclasses import asdict
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import EmbeddingSpace
from providers.errors import ProviderUnavailable
from recall.search.turn import load_turn
from tests.contracts.stores import MODEL, arc, fact, rule, vector
from tests.recall.learned import keep, owner_of, switch_recall_on


class Model:
    """Gives every question the same vector, and counts how often it was asked."""

    name, model, version = "test", "model", "1"
    dimension, batch_size = 3, 32

    def __init__(self, error=None):
        self.asked, self.error = 0, error

    def embed(self, texts, *, seconds=None):
        self.asked += 1
        if self.error:
            raise self.error
        return [np.array([1, 0, 0], dtype=np.float32) for _ in texts]


@pytest.fixture
def alice(porter):
    return owner_of(porter)


@pytest.fixture
def model(monkeypatch, db):
    found = Model()
    EmbeddingSpace.objects.create(model="model", version="1", dimension=3, state="current")
    monkeypatch.setattr("recall.search.questions.question.embedder_for", lambda space: found)
    monkeypatch.setattr("recall.search.questions.question.embedder", lambda: found)
    return found


def load(owner, query="my boss", *, is_first_turn=False):
    return load_turn(owner=owner, query=query, is_first_turn=is_first_turn)


def summaries(turn) -> list[str]:
    return [entry.summary for entry in turn.entries if entry.type == "episodic"]


def quotes(turn) -> list[str]:
    return [entry.evidence_quote for entry in turn.entries if entry.type == "semantic"]


@pytest.mark.requirement("OC-33")
def test_words_and_vectors_are_fused(alice, model):
    keep(
        alice,
        fact("my boss is terrible", embedding=vector(1, 0, 0), model=MODEL),
        fact("the manager shouts", embedding=vector(0.8, 0.6, 0), model=MODEL),
        fact("the boss sings", embedding=vector(0, 1, 0), model=MODEL),
    )

    turn = load(alice)

    assert quotes(turn) == ["my boss is terrible", "the boss sings", "the manager shouts"]
    assert turn.entries[0].score == pytest.approx(1 / 61 + 1 / 62)
    assert turn.diagnostics.retrieval_path == "hybrid_rrf"


@pytest.mark.requirement("OC-36")
def test_an_empty_store_asks_no_model(alice, model):
    keep(alice, fact("my boss", user_visible=False), rule("Be brief."))

    turn = load(alice)

    assert (turn.entries, model.asked) == ((), 0)
    assert turn.diagnostics.retrieval_path == "skipped_empty_store"
    assert turn.diagnostics.procedural_count == 1


@pytest.mark.requirement("OC-35")
def test_a_model_that_fails_leaves_the_turn_to_the_words(alice, model):
    model.error = ProviderUnavailable("down")
    keep(alice, fact("my boss is terrible", embedding=vector(1, 0, 0), model=MODEL))

    turn = load(alice)

    assert quotes(turn) == ["my boss is terrible"]
    assert turn.diagnostics.retrieval_path == "token_recall_after_embed_error"


def test_a_model_that_helps_nothing_beside_words_is_not_asked(alice):
    keep(alice, fact("my boss is terrible"))

    turn = load(alice)

    assert quotes(turn) == ["my boss is terrible"]
    assert turn.diagnostics.retrieval_path == "token_recall"


def test_before_the_first_vector_nothing_has_failed(alice, model):
    EmbeddingSpace.objects.all().delete()
    keep(alice, fact("my boss is terrible"))

    assert load(alice).diagnostics.retrieval_path == "token_recall"


def test_vectors_of_another_space_are_not_compared(alice, model):
    EmbeddingSpace.objects.create(model="other", version="1", dimension=3, state="retired")
    keep(alice, fact("the manager shouts", embedding=vector(1, 0, 0), model="other@1"))

    assert load(alice).entries == ()


@pytest.mark.requirement("OC-37")
def test_an_entry_is_the_whole_triple_with_its_quote_and_no_text(alice):
    put = fact("my boss is terrible")
    keep(alice, put)

    (entry,) = load(alice).entries

    found = asdict(entry)
    assert found.pop("score") == pytest.approx(1 / 61)
    assert found == {
        "id": put.key,
        "type": "semantic",
        "category": "relationship",
        "subject_type": "User",
        "subject": "User",
        "predicate": "WORRIES_ABOUT",
        "object_type": "Concern",
        "object": "work",
        "evidence_quote": "my boss is terrible",
        "source_class": "user_direct",
        "statement": "",
        "said_at": None,
        "holds_until": None,
    }


@pytest.mark.requirement("OC-39")
def test_at_most_five_facts_and_two_arcs_enter_a_turn_arcs_first(alice):
    keep(alice, *[fact(f"boss {number}") for number in range(30)])
    keep(alice, *[arc(f"the boss {number}", days=number) for number in range(5)])

    turn = load(alice)

    assert [entry.type for entry in turn.entries] == ["episodic"] * 2 + ["semantic"] * 5
    assert quotes(turn) == [f"boss {number}" for number in (29, 28, 27, 26, 25)]
    found = turn.diagnostics
    assert (found.semantic_hits, found.semantic_store_size) == (20, 30)
    assert (found.episodic_hits, found.episodic_store_size) == (2, 5)


@pytest.mark.requirement("OC-39")
def test_only_what_is_active_is_ranked(alice):
    keep(alice, *[fact(f"boss {number}", superseded_by=str(uuid4())) for number in range(20)])
    keep(alice, *[fact(f"active boss {number}") for number in range(5)])

    assert sorted(quotes(load(alice))) == [f"active boss {number}" for number in range(5)]


@pytest.mark.requirement("OC-44")
def test_a_question_finds_an_arc_of_29_days_and_none_of_31(alice):
    keep(alice, arc("the boss then", days=31), arc("the boss lately", days=29))

    assert summaries(load(alice)) == ["the boss lately"]


@pytest.mark.requirement("OC-45")
def test_the_first_turn_has_the_latest_arc_whatever_its_age(alice):
    keep(alice, arc("sailing", days=400), arc("the cello", days=300))

    first, later = load(alice, "", is_first_turn=True), load(alice, "", is_first_turn=False)

    assert summaries(first) == ["the cello"]
    assert (first.entries[0].score, first.diagnostics.episodic_hits) == (0, 0)
    assert summaries(later) == []


def test_an_arc_that_says_what_another_says_stands_once(alice):
    keep(alice, arc("the boss", days=2), arc("the boss", days=1))

    assert summaries(load(alice, is_first_turn=True)) == ["the boss"]


def test_what_another_agent_or_user_was_told_is_not_loaded(alice, rival):
    keep(owner_of(alice.agent, "bob"), fact("my boss is terrible"))
    keep(owner_of(rival), fact("my boss is terrible"))

    assert load(alice).entries == ()


def test_it_says_how_the_owner_set_recall(alice):
    keep(alice, fact("my boss"))
    assert load(alice).diagnostics.proactive_recall is False

    switch_recall_on(alice)

    assert load(alice).diagnostics.proactive_recall is True


def test_the_number_of_statements_does_not_grow_with_the_memory(alice, model):
    counts = []
    for _ in range(3):
        keep(alice, fact("my boss", embedding=vector(1, 0, 0)), arc("the boss"))
        with CaptureQueriesContext(connection) as queries:
            load(alice, is_first_turn=True)
        counts.append(len(queries))

    # Beside the statements past the ORM: facts found, arcs found, the latest.
    assert counts == [3, 3, 3]

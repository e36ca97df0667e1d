from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import pytest

from memory.models import EmbeddingSpace
from providers.errors import ProviderUnavailable
from providers.hashing import HashingEmbedder
from providers.registry import embedder
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode
from recall.search.questions.vectors import QUESTION_VECTORS, QuestionVectors
from tests.factories import make_ended_session

AGENT, OTHER = UUID(int=1), UUID(int=2)
VECTOR = np.ones(3, dtype=np.float32)


@dataclass(frozen=True)
class OfSpace:
    model: str = "a model"
    version: str = "1"
    dimension: int = 3


@pytest.fixture
def vectors() -> QuestionVectors:
    return QuestionVectors(most=2)


def test_a_text_has_the_vector_it_had(vectors):
    vectors.put(AGENT, OfSpace(), "who?", VECTOR.copy())

    assert vectors.get(AGENT, OfSpace(), "who?").tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("agent", "space", "text"),
    [
        (OTHER, OfSpace(), "who?"),
        (AGENT, OfSpace(model="another"), "who?"),
        (AGENT, OfSpace(version="2"), "who?"),
        (AGENT, OfSpace(dimension=4), "who?"),
        (AGENT, OfSpace(), "who? "),
        (AGENT, OfSpace(), "Who?"),
    ],
)
def test_neither_another_agent_nor_space_nor_text_has_it(vectors, agent, space, text):
    vectors.put(AGENT, OfSpace(), "who?", VECTOR.copy())

    assert vectors.get(agent, space, text) is None


def test_the_one_asked_longest_ago_makes_room(vectors):
    vectors.put(AGENT, OfSpace(), "one", VECTOR.copy())
    vectors.put(AGENT, OfSpace(), "two", VECTOR.copy())
    vectors.get(AGENT, OfSpace(), "one")

    vectors.put(AGENT, OfSpace(), "three", VECTOR.copy())

    assert len(vectors) == 2
    assert vectors.get(AGENT, OfSpace(), "one") is not None
    assert vectors.get(AGENT, OfSpace(), "two") is None


def test_nobody_changes_what_is_remembered(vectors):
    vectors.put(AGENT, OfSpace(), "who?", VECTOR.copy())

    with pytest.raises(ValueError, match="read-only"):
        vectors.get(AGENT, OfSpace(), "who?")[0] = 2


def test_half_a_character_is_a_text_as_well(vectors):
    vectors.put(AGENT, OfSpace(), "\ud800", VECTOR.copy())

    assert vectors.get(AGENT, OfSpace(), "\ud800") is not None


def test_threads_share_it():
    vectors = QuestionVectors(most=8)

    def ask(number: int) -> None:
        vectors.put(AGENT, OfSpace(), str(number % 20), VECTOR.copy())
        vectors.get(AGENT, OfSpace(), str(number % 7))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(2_000)))

    assert len(vectors) == 8


class Counting(HashingEmbedder):
    """Counts what it is asked, and fails where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.fails = False

    def embed(self, texts, *, seconds=None):
        self.texts += texts
        if self.fails:
            raise ProviderUnavailable("out of order")
        return super().embed(texts, seconds=seconds)


@pytest.fixture
def model(monkeypatch) -> Counting:
    found = Counting()
    monkeypatch.setattr("providers.registry.EMBEDDERS", {"hashing": lambda: found})
    embedder.cache_clear()
    return found


def ask(session, query):
    return search(owner=session.owner, query=query, limit=3, mode=SearchMode.SEMANTIC)


def test_a_question_is_embedded_once(porter, model):
    session = make_ended_session(porter, ["We planted tomatoes.", "The train was late."])
    model.texts.clear()

    first, second = (ask(session, "tomatoes") for _ in range(2))

    assert model.texts == ["tomatoes"]
    assert second == first
    assert first.hits


def test_what_gave_no_vector_is_asked_again(porter, model):
    session = make_ended_session(porter, ["We planted tomatoes."])
    model.fails = True
    degraded = ask(session, "tomatoes").degraded
    model.fails = False

    assert degraded == "provider_unavailable"
    assert ask(session, "tomatoes").degraded == ""
    assert ask(session, " ").degraded == "query_without_vector"
    assert len(QUESTION_VECTORS) == 1


def test_a_passage_is_not_taken_for_a_question(porter, model):
    make_ended_session(porter, ["We planted tomatoes."])

    assert EmbeddingSpace.objects.current() is not None
    assert len(QUESTION_VECTORS) == 0

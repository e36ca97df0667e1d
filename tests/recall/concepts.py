"""Vectors that say what a text is about, so that a test knows what is near."""

import numpy as np
import pytest

from knowledge.saved_facts.categories import Embedded
from memory.models import EmbeddingSpace
from providers.errors import ProviderUnavailable
from recall.search.questions import text_vectors as saved_vectors

# Each word adds to one direction: texts of one topic are alike.
TOPICS = {"cat": 0, "kitten": 0, "dog": 1, "train": 2, "journey": 2, "soup": 3, "bread": 3}
DIMENSION = 6


def vector(text: str) -> np.ndarray:
    made = np.full(DIMENSION, 0.01, dtype=np.float32)
    for word, place in TOPICS.items():
        made[place] += text.lower().count(word)
    # What tells texts of a topic apart, and keeps them alike.
    made[5] += (len(text) % 7) / 20
    return made / np.linalg.norm(made)


class Concepts:
    """An embedder that knows the topics. `fails` makes it answer nothing."""

    name = model = version = "concepts"
    dimension, batch_size = DIMENSION, 32

    def __init__(self) -> None:
        self.calls, self.fails, self.length = 0, False, DIMENSION

    def embed(self, texts, *, seconds=None):
        self.calls += 1
        if self.fails:
            raise ProviderUnavailable("down")
        return [vector(text)[: self.length] for text in texts]


@pytest.fixture
def space(db):
    return EmbeddingSpace.objects.create(
        model="concepts", version="concepts", dimension=DIMENSION, state="current"
    )


@pytest.fixture
def concepts(space, monkeypatch):
    """Put the embedder in the place of the configured one, with vectors switched on."""
    model = Concepts()
    monkeypatch.setattr(saved_vectors, "embedder_for", lambda space: model)
    saved_vectors.SWITCH.enable()
    yield model
    saved_vectors.SWITCH.enable()


def embedded(space, text: str) -> Embedded:
    return Embedded(vector(text), space)

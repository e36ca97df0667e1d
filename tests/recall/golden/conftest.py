import numpy as np
import pytest
from pgvector import HalfVector

from accounts import billing
from memory.models import Chunk, Embedding, EmbeddingSpace
from memory.vectors import driver
from providers.errors import ProviderUnavailable
from recall.search.questions import question as questions
from tests.factories import make_ended_session
from tests.recall.golden.asked import TEXTS


class Sighted:
    """An embedder whose questions mean exactly one passage, and that counts what it is asked."""

    name, batch_size = "sighted", 32

    def __init__(self, space: EmbeddingSpace) -> None:
        self.model, self.version, self.dimension = space.model, space.version, space.dimension
        self.asked: list[str] = []
        self.charges: list[billing.Charge] = []
        self.fails = False

    def embed(self, texts, *, seconds=None):
        self.asked += texts
        self.charges.append(billing.current())
        if self.fails:
            raise ProviderUnavailable("down")
        return [towards(0) for _ in texts]


def towards(direction: int) -> np.ndarray:
    return np.eye(8, dtype=np.float32)[direction]


def space_of(model: str, near: str, state: str) -> EmbeddingSpace:
    """Return a space in which every question means the one text, and no other."""
    driver()
    EmbeddingSpace.objects.filter(state=state).update(state="retired")
    space = EmbeddingSpace.objects.create(model=model, version="1", dimension=8, state=state)
    for place, chunk in enumerate(Chunk.objects.order_by("number"), 1):
        Embedding.objects.create(
            owner_id=chunk.owner_id,
            space=space,
            document=chunk.number,
            embedding=HalfVector(towards(0 if chunk.text == near else place % 7 + 1)),
        )
    return space


@pytest.fixture
def models(porter, monkeypatch):
    """Return the embedders of two spaces by name: `near` finds the first text, `far` the second."""
    # By words alone, these fill the first ten results, and none of them is a good one.
    fillers = [f"Filler {number} zzz." for number in range(12)]
    for texts in ([TEXTS[0]], [TEXTS[1]], [*fillers, TEXTS[2], "A rare qqq."]):
        make_ended_session(porter, texts)
    spaces = (space_of("near", TEXTS[0], "current"), space_of("far", TEXTS[1], "building"))
    known = {space.model: Sighted(space) for space in spaces}
    monkeypatch.setattr(questions, "embedder_for", lambda space: known[space.model])
    return known

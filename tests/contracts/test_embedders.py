"""What every embedder promises, asked of each of them."""

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np
import pytest

from providers.base import BATCH_SIZE, Embedder, is_usable
from providers.hashing import HashingEmbedder
from providers.local import PACKAGE, LocalEmbedder
from providers.metered import MeteredEmbedder
from providers.openai import OpenAIEmbedder
from tests.providers.fake_openai import running
from tests.providers.metering import free

TEXTS = ["The gate is red.", "Сад открыт.", "東京の庭", "\ud800 half a character", "x" * 5000]


@contextmanager
def endpoint() -> Iterator[Embedder]:
    with running() as server:
        yield OpenAIEmbedder(api_key="", base_url=server.url, dimension=64)


# A provider is one line here.
EMBEDDERS: dict[str, Callable[[], AbstractContextManager[Embedder]]] = {
    "hashing": lambda: nullcontext(HashingEmbedder()),
    "hashing at another dimension": lambda: nullcontext(HashingEmbedder(64)),
    "local": lambda: nullcontext(LocalEmbedder()),
    "openai": endpoint,
    "metered": lambda: nullcontext(MeteredEmbedder(HashingEmbedder(), free)),
}


@pytest.fixture(scope="module", params=EMBEDDERS)
def model(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "local" and importlib.util.find_spec(PACKAGE) is None:
        pytest.skip("the model is not installed")
    with EMBEDDERS[request.param]() as embedder:
        yield embedder


def test_it_says_what_makes_its_vectors(model: Embedder) -> None:
    assert all([model.name, model.model, model.version])
    assert model.dimension > 0
    assert model.batch_size == BATCH_SIZE


def test_it_gives_one_vector_per_text_that_can_be_compared(model: Embedder) -> None:
    vectors = model.embed(TEXTS)

    assert len(vectors) == len(TEXTS)
    for vector in vectors:
        assert vector is not None
        assert vector.dtype == np.float32
        assert is_usable(vector, model.dimension)


def test_its_vectors_have_the_length_one(model: Embedder) -> None:
    lengths = [float(np.linalg.norm(np.array(vector))) for vector in model.embed(TEXTS)]

    assert lengths == pytest.approx([1.0] * len(TEXTS), abs=1e-5)


def test_it_keeps_the_order_across_batches(model: Embedder) -> None:
    texts = [f"the gate number {number} " * (number % 3 + 1) for number in range(BATCH_SIZE + 3)]

    vectors = np.array(model.embed(texts))

    assert vectors.shape == (len(texts), model.dimension)
    assert np.allclose(vectors[-1], np.array(model.embed(texts[-1:])[0]), atol=1e-5)
    assert np.allclose(vectors[0], np.array(model.embed(texts[:1])[0]), atol=1e-5)


def test_it_gives_the_same_vector_for_the_same_text(model: Embedder) -> None:
    assert np.array_equal(np.array(model.embed(TEXTS)), np.array(model.embed(TEXTS)))


def test_it_gives_nothing_for_nothing(model: Embedder) -> None:
    assert model.embed([]) == []


def test_it_accepts_a_deadline(model: Embedder) -> None:
    (vector,) = model.embed(["The gate is red."], seconds=30.0)

    assert vector is not None


def test_a_fuller_copy_is_nearer_than_a_stranger(model: Embedder) -> None:
    gate, copy, stranger = model.embed(
        ["the red garden gate", "the red garden gate squeaks", "quarterly revenue report"]
    )

    assert np.dot(np.array(gate), np.array(copy)) > np.dot(np.array(gate), np.array(stranger))

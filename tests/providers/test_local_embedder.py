"""The sentence model on this machine."""

import importlib.util
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from providers.local import PACKAGE, LocalEmbedder

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason="the model is not installed"
)


@pytest.fixture(scope="module")
def model() -> LocalEmbedder:
    return LocalEmbedder()


def test_it_agrees_with_the_published_model(model: LocalEmbedder) -> None:
    """The likenesses are those the model's publisher shows for these sentences."""
    person, *others = model.embed(
        [
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        ]
    )

    likenesses = [float(np.dot(np.array(person), np.array(other))) for other in others]

    assert likenesses == pytest.approx([0.6945773, 0.9429150, 0.2568760], abs=1e-5)


def test_company_does_not_change_a_vector(model: LocalEmbedder) -> None:
    texts = ["a gate", "a much longer sentence about a gate in a garden " * 5, "red", "x" * 300]

    together = model.embed(texts)

    alone = [model.embed([text])[0] for text in texts]
    assert np.allclose(np.array(together), np.array(alone), atol=1e-5)


def test_what_follows_its_last_token_does_not_count(model: LocalEmbedder) -> None:
    one, other = model.embed(["word " * 254 + "sun", "word " * 254 + "moon " * 500])

    assert np.allclose(np.array(one), np.array(other), atol=1e-5)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_blank_text_has_no_vector(model: LocalEmbedder, text: str) -> None:
    first, blank, last = model.embed(["gate", text, "garden"])

    assert blank is None
    assert first is not None
    assert last is not None


def test_threads_share_it(model: LocalEmbedder) -> None:
    texts = [f"the gate number {number}" for number in range(8)]
    expected = np.array(model.embed(texts))
    fresh = LocalEmbedder()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: fresh.embed([text])[0], texts))

    assert np.allclose(np.array(found), expected, atol=1e-5)

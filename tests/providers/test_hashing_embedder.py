"""Vectors from words and letters alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.base import is_usable
from providers.hashing import HashingEmbedder

model = HashingEmbedder()
# Where the word and its trigrams fall.
GARDEN = [0, 13, 117, 132, 137, 184, 268]


def likeness(one: str, other: str) -> float:
    first, second = model.embed([one, other])
    assert first is not None
    assert second is not None
    return float(first @ second)


def test_it_is_the_same_in_every_process() -> None:
    (vector,) = model.embed(["garden"])

    assert vector is not None
    assert np.flatnonzero(vector).tolist() == GARDEN


@given(st.text())
def test_any_text_has_a_vector_that_can_be_compared_or_none(text: str) -> None:
    (vector,) = model.embed([text])

    assert vector is None or is_usable(vector, model.dimension)


@pytest.mark.parametrize("text", ["", "   ", "?!", "\n"])
def test_a_text_without_words_has_none(text: str) -> None:
    assert model.embed([text]) == [None]


@pytest.mark.parametrize(
    ("one", "like", "unlike"),
    [
        ("the red garden gate", "a garden with a red gate", "quarterly revenue report"),
        ("gardening", "gardener", "submarine"),
        ("Straße", "STRASSE", "Fluss"),
        ("сад и калитка", "калитка в саду", "годовой отчёт"),
        ("東京の庭", "東京の庭園", "財務報告"),
        ("ﬁne café", "fine café", "coffee"),
    ],
)
def test_shared_words_and_letters_bring_texts_together(one: str, like: str, unlike: str) -> None:
    assert likeness(one, like) > likeness(one, unlike) + 0.1


def test_case_does_not_matter() -> None:
    assert likeness("Garden Gate", "gARDEN gATE") == pytest.approx(1.0)


@pytest.mark.parametrize("dimension", [1, 16, 1536])
def test_it_has_the_dimension_asked_for(dimension: int) -> None:
    (vector,) = HashingEmbedder(dimension).embed(["garden gate"])

    assert vector is None or vector.shape == (dimension,)

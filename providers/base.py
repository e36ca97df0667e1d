"""What a provider of vectors is."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# A float32 array of the embedder's dimension.
Vector = NDArray[np.float32]
BATCH_SIZE = 32


class Space(Protocol):
    """What vectors must share to be compared."""

    @property
    def model(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def dimension(self) -> int: ...


class Embedder(Protocol):
    """Text to vectors. Vectors of two models, versions or dimensions are never compared."""

    name: str
    model: str
    version: str
    dimension: int
    batch_size: int

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        """Return one vector per text, in order; None for a text that gives no usable one.

        `seconds` bounds the whole call; None means the provider's own limit. Raises
        ProviderUnavailable, which passes, or ProviderRefused, which does not pass by itself.
        """
        ...


def are_comparable(first: Space, second: Space) -> bool:
    """Say whether the vectors of two spaces, or of an embedder and a space, may be compared."""
    mine = (first.model, first.version, first.dimension)
    return mine == (second.model, second.version, second.dimension)


def is_usable(vector: Vector, dimension: int) -> bool:
    """Say whether a vector can be compared: right length, finite, and with a direction."""
    fits = vector.shape == (dimension,) and bool(np.isfinite(vector).all())
    return fits and length_of(vector) > 0.0


def length_of(vector: Vector) -> float:
    """Return the Euclidean norm, in doubles: the squares of large floats overflow."""
    return float(np.linalg.norm(vector.astype(np.float64)))


def encodable(text: str) -> str:
    """Return the text with halves of characters, which have no UTF-8, as question marks."""
    return text.encode(errors="replace").decode()

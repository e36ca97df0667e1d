"""Vectors from the hashes of words and letters: no model, no network, the same every time.

They tell texts of shared words from others and keep the vector path alive; they know no meaning.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from providers.base import BATCH_SIZE, Vector

WORD = re.compile(r"\w+")
TRIGRAM_WEIGHT = 0.3
# Beyond this the features of a text no longer change its direction by much.
MOST_CHARACTERS = 8_192


class HashingEmbedder:
    """Signed feature hashing (Weinberger et al. 2009) of words and their trigrams."""

    name = "hashing"
    model = "hashing"
    version = "1"
    batch_size = BATCH_SIZE

    def __init__(self, dimension: int = 384) -> None:
        self.dimension = dimension

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector | None:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for feature, weight in _features(text):
            number = zlib.crc32(feature)
            sign = 1.0 if number & 1 else -1.0
            vector[(number >> 1) % self.dimension] += sign * weight
        length = float(np.linalg.norm(vector))
        return vector / np.float32(length) if length > 0 else None


def _features(text: str) -> Iterator[tuple[bytes, float]]:
    folded = unicodedata.normalize("NFKC", text[:MOST_CHARACTERS]).casefold()
    for word in WORD.findall(folded):
        yield word.encode(errors="surrogatepass"), 1.0
        edged = f"<{word}>"
        for place in range(len(edged) - 2):
            yield b"3" + edged[place : place + 3].encode(errors="surrogatepass"), TRIGRAM_WEIGHT

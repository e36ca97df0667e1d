"""Vectors from any OpenAI-compatible endpoint, through the `openai` package."""

import logging
import time
from collections.abc import Callable, Sequence

import numpy as np
import openai

from providers.base import BATCH_SIZE, Vector, encodable, is_usable, length_of
from providers.breaker import Breaker
from providers.endpoint import RETRIES, Endpoint
from providers.errors import RequestRejected
from providers.presets import PRESETS, Preset
from providers.usage import note

log = logging.getLogger(__name__)


class ReplyUnusable(Exception):
    """The provider answers, but not with one good vector per text."""


class OpenAIEmbedder:
    """Vectors from an endpoint. Every reply is checked: order, count, size, finiteness, direction."""

    name = "openai"
    version = "1"
    batch_size = BATCH_SIZE

    def __init__(
        self,
        *,
        api_key: str,
        model: str = "text-embedding-3-small",
        dimension: int = 1536,
        base_url: str | None = None,
        seconds: float = 20.0,
        sleep: Callable[[float], None] = time.sleep,
        breaker: Breaker | None = None,
        preset: Preset = PRESETS[""],
    ) -> None:
        self.model, self.dimension, self._preset = model, dimension, preset
        self._endpoint = Endpoint(
            api_key=api_key, base_url=base_url, seconds=seconds, sleep=sleep, breaker=breaker
        )
        self.breaker = self._endpoint.breaker

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        """Ask in batches of 32. Whoever waits, and gives `seconds`, gets no retries of failed calls.

        Without `seconds` each call may take as long as the constructor allows.
        """
        ends = None if seconds is None else time.monotonic() + seconds
        found: list[Vector | None] = []
        for start in range(0, len(texts), self.batch_size):
            found += self._batch(texts[start : start + self.batch_size], ends)
        return found

    def _batch(
        self, texts: Sequence[str], ends: float | None, tries: int = 0
    ) -> list[Vector | None]:
        """Halve a batch until the text that spoils it stands alone; give that one up after its tries."""
        try:
            return list(self._asked(texts, ends))
        except (ReplyUnusable, RequestRejected) as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                first = self._batch(texts[:middle], ends, tries + 1)
                return first + self._batch(texts[middle:], ends, tries + 1)
            if tries >= RETRIES or ends is not None or isinstance(error, RequestRejected):
                log.warning("a text gets no vector: %s", error)
                return [None]
        self._endpoint.pause(tries)
        return self._batch(texts, ends, tries + 1)

    def _asked(self, texts: Sequence[str], ends: float | None) -> list[Vector]:
        rows = self._endpoint.patiently(
            lambda client, seconds: self._rows(client, texts, seconds),
            ends=ends,
            retries=RETRIES if ends is None else 0,
        )
        by_index = dict(rows)
        if len(rows) != len(texts) or set(by_index) != set(range(len(texts))):
            raise ReplyUnusable(f"{len(rows)} rows for {len(texts)} texts, or in no clear order")
        return self._checked([by_index[place] for place in range(len(texts))])

    def _rows(
        self, client: openai.OpenAI, texts: Sequence[str], seconds: float
    ) -> list[tuple[int, Vector]]:
        reply = client.embeddings.create(
            input=[encodable(text) for text in texts],
            model=self.model,
            dimensions=self.dimension if self._preset.takes_dimension else openai.omit,
            # Not given, base64 is asked for and read.
            encoding_format=openai.omit if self._preset.takes_base64 else "float",
            timeout=seconds,
        )
        note(prompt_tokens=int(reply.usage.prompt_tokens or 0) if reply.usage else 0)
        return [(int(row.index), np.asarray(row.embedding, np.float32)) for row in reply.data]

    def _checked(self, vectors: list[Vector]) -> list[Vector]:
        for vector in vectors:
            if vector.shape != (self.dimension,):
                raise ReplyUnusable(f"{vector.size} dimensions instead of {self.dimension}")
            if not is_usable(vector, self.dimension):
                raise ReplyUnusable("a vector without direction")
        # Of any length they may come; stored at half precision, only short ones fit.
        return [(vector / np.float64(length_of(vector))).astype(np.float32) for vector in vectors]

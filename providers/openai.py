"""Any OpenAI-compatible endpoint, through the `openai` package."""

import logging
import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np
import openai

from providers.base import BATCH_SIZE, Vector, encodable, is_usable, length_of
from providers.breaker import OPEN_SECONDS, Breaker
from providers.errors import ProviderFault, ProviderRefused, ProviderUnavailable
from providers.http import ReplyEndless, client, retry_after

log = logging.getLogger(__name__)
RETRIES = 3
REFUSALS = {401, 403, 404}
# The request itself displeases: its texts, their length or their number.
REJECTIONS = {400, 413, 422}


class ReplyUnusable(Exception):
    """The provider answers, but not with one good vector per text."""


class BatchRejected(ReplyUnusable):
    """The same texts will be rejected again."""


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
    ) -> None:
        self.model, self.dimension, self.seconds = model, dimension, seconds
        self._sleep, self.breaker = sleep, breaker or Breaker()
        self._client = openai.OpenAI(
            api_key=api_key or "none", base_url=base_url, max_retries=0, http_client=client()
        )

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
            return list(self._patiently(texts, ends))
        except ReplyUnusable as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                first = self._batch(texts[:middle], ends, tries + 1)
                return first + self._batch(texts[middle:], ends, tries + 1)
            if tries >= RETRIES or ends is not None or isinstance(error, BatchRejected):
                log.warning("a text gets no vector: %s", error)
                return [None]
        self._pause(tries)
        return self._batch(texts, ends, tries + 1)

    def _patiently(self, texts: Sequence[str], ends: float | None) -> list[Vector]:
        for tries in range(0 if ends is not None else RETRIES):
            try:
                return self._once(texts, ends)
            except ProviderUnavailable as error:
                if not error.counts_as_attempt:
                    raise
            self._pause(tries)
        return self._once(texts, ends)

    def _pause(self, tries: int) -> None:
        """Wait 1, 2, then 4 seconds, each shortened at random by up to half."""
        self._sleep(random.uniform(0.5, 1.0) * 2**tries)  # noqa: S311 - jitter

    def _once(self, texts: Sequence[str], ends: float | None) -> list[Vector]:
        seconds = self.seconds if ends is None else min(self.seconds, ends - time.monotonic())
        if seconds <= 0:
            raise ProviderUnavailable("out of time")
        if not self.breaker.allows():
            raise ProviderUnavailable(
                "the breaker is open", retry_after=OPEN_SECONDS, counts_as_attempt=False
            )
        rows = self._rows(texts, seconds)
        self.breaker.succeeded()
        by_index = dict(rows)
        if len(rows) != len(texts) or set(by_index) != set(range(len(texts))):
            raise ReplyUnusable(f"{len(rows)} rows for {len(texts)} texts, or in no clear order")
        return self._checked([by_index[place] for place in range(len(texts))])

    def _rows(self, texts: Sequence[str], seconds: float) -> list[tuple[int, Vector]]:
        # What openai raises quotes the reply, and with it perhaps a text or the key: `from None`.
        try:
            reply = self._client.embeddings.create(
                input=[encodable(text) for text in texts],
                model=self.model,
                dimensions=self.dimension,
                timeout=seconds,
            )
            return [(int(row.index), np.asarray(row.embedding, np.float32)) for row in reply.data]
        except openai.APIStatusError as error:
            raise self._failure(error) from None
        except (openai.OpenAIError, ReplyEndless, ValueError, TypeError, AttributeError) as error:
            # A cut body, a page of HTML, half a JSON: whatever it was, it was no answer.
            self.breaker.failed()
            raise ProviderUnavailable(f"no answer: {type(error).__name__}") from None

    def _checked(self, vectors: list[Vector]) -> list[Vector]:
        for vector in vectors:
            if vector.shape != (self.dimension,):
                raise ReplyUnusable(f"{vector.size} dimensions instead of {self.dimension}")
            if not is_usable(vector, self.dimension):
                raise ReplyUnusable("a vector without direction")
        # Of any length they may come; stored at half precision, only short ones fit.
        return [(vector / np.float64(length_of(vector))).astype(np.float32) for vector in vectors]

    def _failure(self, error: openai.APIStatusError) -> ProviderFault | ReplyUnusable:
        status = error.status_code
        if status in REFUSALS:
            self.breaker.trip()
            return ProviderRefused(f"status {status}")
        after = retry_after(error.response.headers.get("retry-after", ""), datetime.now(UTC))
        if status == 429:
            self.breaker.succeeded()
            return ProviderUnavailable("rate limit", retry_after=after, counts_as_attempt=False)
        if status in REJECTIONS:
            self.breaker.succeeded()
            return BatchRejected(f"status {status}")
        self.breaker.failed()
        return ProviderUnavailable(f"status {status}", retry_after=after)

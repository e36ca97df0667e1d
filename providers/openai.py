"""Any OpenAI-compatible endpoint, through the `openai` package."""

import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
import numpy as np
import openai

from providers.base import BATCH_SIZE, Vector, is_usable
from providers.breaker import Breaker
from providers.errors import ProviderFault, ProviderRefused, ProviderUnavailable

RETRIES = 3
LONGEST_WAIT = 300.0
MOST_BYTES = 10_000_000
REFUSALS = (
    openai.AuthenticationError,
    openai.PermissionDeniedError,
    openai.NotFoundError,
)


class ReplyUnusable(Exception):
    """The reply came, and does not hold one good vector per text."""


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
        # A redirect could carry the key and the texts to another host.
        http = httpx2.Client(follow_redirects=False, event_hooks={"response": [_refuse_the_huge]})
        self._client = openai.OpenAI(
            api_key=api_key or "none", base_url=base_url, max_retries=0, http_client=http
        )

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        """Ask in batches of 32. `seconds` None allows three retries, otherwise none is made."""
        found: list[Vector | None] = []
        for start in range(0, len(texts), self.batch_size):
            found += self._batch(list(texts[start : start + self.batch_size]), seconds)
        return found

    def _batch(self, texts: list[str], seconds: float | None) -> list[Vector | None]:
        try:
            return list(self._patiently(texts, seconds))
        except ReplyUnusable:
            if len(texts) == 1:
                return [None]
        middle = len(texts) // 2
        return self._batch(texts[:middle], seconds) + self._batch(texts[middle:], seconds)

    def _patiently(self, texts: list[str], seconds: float | None) -> list[Vector]:
        """Ask, and ask again after 1, 2 and 4 seconds, each with full jitter."""
        retries = RETRIES if seconds is None else 0
        for attempt in range(retries + 1):
            try:
                return self._once(texts, seconds or self.seconds)
            except ProviderUnavailable as error:
                if attempt == retries or not error.counts_as_attempt:
                    raise
            except ReplyUnusable:
                if attempt == retries:
                    raise
            self._sleep(random.uniform(0.5, 1.0) * 2**attempt)  # noqa: S311 - jitter
        raise AssertionError("the last attempt returns or raises")

    def _once(self, texts: list[str], seconds: float) -> list[Vector]:
        if not self.breaker.allows():
            raise ProviderUnavailable(
                "the breaker is open", counts_as_attempt=False, retry_after=30.0
            )
        try:
            reply = self._client.embeddings.create(
                input=texts, model=self.model, dimensions=self.dimension, timeout=seconds
            )
            rows = [(row.index, row.embedding) for row in reply.data]
        except ProviderFault:
            self.breaker.failed()
            raise
        except openai.APIStatusError as error:
            raise self._failure(error) from error
        except (
            openai.OpenAIError,
            httpx2.HTTPError,
            ValueError,
            TypeError,
            AttributeError,
        ) as error:
            # A cut body, a page of HTML, half a JSON: whatever it was, it was no answer.
            self.breaker.failed()
            raise ProviderUnavailable(f"no usable answer: {type(error).__name__}") from error
        self.breaker.succeeded()
        return self._in_order(rows, len(texts))

    def _failure(self, error: openai.APIStatusError) -> ProviderFault:
        if isinstance(error, REFUSALS):
            return ProviderRefused(f"status {error.status_code}")
        if isinstance(error, openai.RateLimitError):
            after = retry_after(error.response.headers.get("retry-after", ""), datetime.now(UTC))
            return ProviderUnavailable("rate limit", retry_after=after, counts_as_attempt=False)
        if error.status_code in {400, 413, 422}:
            raise ReplyUnusable from error
        self.breaker.failed()
        return ProviderUnavailable(f"status {error.status_code}")

    def _in_order(self, rows: list[tuple[int, list[float]]], expected: int) -> list[Vector]:
        by_index = {index: np.asarray(numbers, dtype=np.float32) for index, numbers in rows}
        if len(rows) != expected or set(by_index) != set(range(expected)):
            raise ReplyUnusable
        vectors = [by_index[place] for place in range(expected)]
        if not all(is_usable(vector, self.dimension) for vector in vectors):
            raise ReplyUnusable
        return vectors


def retry_after(value: str, now: datetime) -> float | None:
    """Read a Retry-After header, in seconds or as a date; at most five minutes, None if absent."""
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), LONGEST_WAIT)
    try:
        seconds = (parsedate_to_datetime(value) - now).total_seconds()
    except (ValueError, TypeError):
        return None
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _refuse_the_huge(response: httpx2.Response) -> None:
    """Read the body piece by piece, within its bound: a claim of length proves nothing."""
    length = response.headers.get("content-length", "0")
    if length.isdigit() and int(length) > MOST_BYTES:
        response.close()
        raise ProviderUnavailable("the reply is too large")

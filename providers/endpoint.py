"""One OpenAI-compatible endpoint: every call ends, and every failure gets a name of ours."""

import random
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

import openai

from providers.breaker import OPEN_SECONDS, Breaker
from providers.errors import (
    InputTooLong,
    ProviderFault,
    ProviderRefused,
    ProviderUnavailable,
    ReplyRefused,
    RequestRejected,
)
from providers.http import ReplyEndless, client, retry_after

RETRIES = 3
REFUSALS = {401, 403, 404}
# The request itself displeases: its texts, their length or their number.
REJECTIONS = {400, 413, 422}
TOO_LONG = re.compile(r"context.?(length|window|size)|too (long|large|many tokens)|n_ctx", re.I)

Reply = TypeVar("Reply")
# Given the client and the seconds it may take.
Ask = Callable[[openai.OpenAI, float], Reply]


class Endpoint:
    """Shared by threads. `seconds` is the longest that one request may take."""

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str | None,
        seconds: float,
        sleep: Callable[[float], None] = time.sleep,
        breaker: Breaker | None = None,
    ) -> None:
        self.seconds, self.breaker, self._sleep = seconds, breaker or Breaker(), sleep
        self._client = openai.OpenAI(
            api_key=api_key or "none", base_url=base_url, max_retries=0, http_client=client()
        )

    def patiently(self, ask: Ask[Reply], *, ends: float | None, retries: int = RETRIES) -> Reply:
        """Ask again after what may pass, as long as `ends`, a monotonic time, leaves time to wait."""
        for tries in range(retries):
            try:
                return self.once(ask, ends=ends)
            except ProviderUnavailable as error:
                wait = delay(tries)
                is_late = ends is not None and time.monotonic() + wait >= ends
                if is_late or not error.counts_as_attempt:
                    raise
            self._sleep(wait)
        return self.once(ask, ends=ends)

    def once(self, ask: Ask[Reply], *, ends: float | None) -> Reply:
        seconds = self.seconds if ends is None else min(self.seconds, ends - time.monotonic())
        if seconds <= 0:
            raise ProviderUnavailable("out of time")
        if not self.breaker.allows():
            raise ProviderUnavailable(
                "the breaker is open", retry_after=OPEN_SECONDS, counts_as_attempt=False
            )
        reply = self._ask(ask, seconds)
        self.breaker.succeeded()
        return reply

    def pause(self, tries: int) -> None:
        self._sleep(delay(tries))

    def _ask(self, ask: Ask[Reply], seconds: float) -> Reply:
        # What openai raises quotes the reply, and with it perhaps a text or the key: `from None`.
        try:
            return ask(self._client, seconds)
        except openai.APIStatusError as error:
            raise self._failure(error) from None
        except (openai.OpenAIError, ReplyEndless, ValueError, TypeError, AttributeError) as error:
            # A cut body, a page of HTML, half a JSON: whatever it was, it was no answer.
            self.breaker.failed()
            raise ProviderUnavailable(f"no answer: {type(error).__name__}") from None

    def _failure(self, error: openai.APIStatusError) -> ProviderFault:
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
            return _rejection(error)
        self.breaker.failed()
        return ProviderUnavailable(f"status {status}", retry_after=after)


def delay(tries: int) -> float:
    """Return 1, 2, then 4 seconds, each shortened at random by up to half."""
    return random.uniform(0.5, 1.0) * 2.0**tries  # noqa: S311 - jitter


def _rejection(error: openai.APIStatusError) -> RequestRejected:
    reason = f"status {error.status_code}"
    if error.code == "content_filter":
        return ReplyRefused("content filter")
    if error.status_code == 413 or TOO_LONG.search(f"{error.code} {error.message}"):
        return InputTooLong(reason)
    return RequestRejected(reason, parameter=error.param)

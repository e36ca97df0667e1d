"""HTTP to a provider: no redirects, and every reply ends, in bytes and in seconds."""

import time
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx2

MOST_BYTES = 10_000_000
LONGEST_WAIT = 300.0


class ReplyEndless(Exception):
    """The reply is larger, or takes longer, than any answer may."""


def client() -> httpx2.Client:
    """Return a client that takes the time a request may take from its read timeout."""
    return httpx2.Client(
        # A redirect could carry the key and the texts to another host.
        follow_redirects=False,
        # Compressed, ten megabytes could unfold into any number of them.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [_start], "response": [_bound]},
    )


def retry_after(value: str, now: datetime) -> float | None:
    """Read a Retry-After header, in seconds or as a date; at most five minutes, None if absent."""
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), LONGEST_WAIT)
    try:
        seconds = (parsedate_to_datetime(value) - now).total_seconds()
    except (ValueError, TypeError):
        return None
    return min(max(seconds, 0.0), LONGEST_WAIT)


class _Bounded(httpx2.SyncByteStream):
    """A body that is counted and timed piece by piece: a claim of length proves nothing."""

    def __init__(self, body: httpx2.SyncByteStream, ends: float) -> None:
        self._body, self._ends = body, ends

    def __iter__(self) -> Iterator[bytes]:
        read = 0
        for piece in self._body:
            read += len(piece)
            if read > MOST_BYTES:
                raise ReplyEndless("the reply is too large")
            if time.monotonic() > self._ends:
                raise ReplyEndless("the reply takes too long")
            yield piece

    def close(self) -> None:
        self._body.close()


def _start(request: httpx2.Request) -> None:
    ends = time.monotonic() + request.extensions["timeout"]["read"]
    request.extensions = {**request.extensions, "ends": ends}


def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ReplyEndless("the reply is compressed")
    body = response.stream
    if isinstance(body, httpx2.SyncByteStream):
        response.stream = _Bounded(body, response.request.extensions["ends"])

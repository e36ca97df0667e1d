"""When to ask again, and after how long. Every call may be repeated: writes carry a key."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

LONGEST = 30.0
PASSING = frozenset({429, 500, 502, 503, 504})


def wait_before(tries: int, answer: httpx2.Response | None) -> float | None:
    """Return the seconds to wait before another try; None when it would not help.

    `tries` counts from 0; `answer` None is none at all.
    """
    if answer is not None and answer.status_code not in PASSING:
        return None
    asked = _asked(answer.headers.get("retry-after", "")) if answer is not None else None
    return asked if asked is not None else _backoff(tries)


def _backoff(tries: int) -> float:
    return float(min(0.25 * 2.0**tries, LONGEST) * random.uniform(0.5, 1.0))  # noqa: S311 - jitter


def _asked(value: str) -> float | None:
    """Read a Retry-After, in seconds or as a date; None when there is none."""
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), LONGEST)
    try:
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
    return min(max(seconds, 0.0), LONGEST)

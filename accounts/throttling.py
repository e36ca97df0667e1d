"""How many requests a key may send: a bucket in the database, shared by all processes.

A process takes tokens by the handful and asks again when they are spent, so that most requests
cost no statement. What is in its hand was taken from the bucket before: over any time a key is
given no more than a bucketful, what ran in meanwhile, and the hands' contents at the beginning.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

BURST_SECONDS = 5
MOST_IN_HAND = 50
TAKE = """
insert into accounts_requestbucket as bucket (key_id, tokens, granted, at)
values (%(key)s, %(burst)s - %(wanted)s, %(wanted)s, clock_timestamp())
on conflict (key_id) do update set (tokens, granted, at) = (
  select there - given, given, moment
  from (select clock_timestamp() as moment) clock
  cross join lateral (select least(%(burst)s, bucket.tokens + %(rate)s * greatest(
    extract(epoch from moment - bucket.at)::float8, 0)) as there) level
  cross join lateral (select least(floor(there), %(wanted)s)::int as given) share
)
returning granted, (1 - tokens) / %(rate)s
"""


@dataclass(slots=True)
class Hand:
    """What a process holds of a key's tokens; none are in the bucket before `empty_until`."""

    tokens: int = 0
    empty_until: float = 0.0


@dataclass(slots=True)
class Throttle:
    """One per process; safe to share between threads."""

    clock: Callable[[], float] = time.monotonic
    hands: dict[UUID, Hand] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, key: UUID, *, rate: int) -> float:
        """Count a request; return 0 if it may pass, else the seconds until one may.

        `rate` is in requests per second, and at least 1.
        """
        with self.lock:
            hand = self.hands.setdefault(key, Hand())
            if hand.tokens:
                hand.tokens -= 1
                return 0.0
            left = hand.empty_until - self.clock()
        if left > 0:
            return left
        granted, seconds = _take(key, rate)
        with self.lock:
            if granted:
                hand.tokens += granted - 1
                return 0.0
            hand.empty_until = self.clock() + seconds
        return seconds


def _take(key: UUID, rate: int) -> tuple[int, float]:
    """Return how many tokens the bucket gave and, for none, the seconds until it has one."""
    burst = rate * BURST_SECONDS
    wanted = max(min(burst // 100, MOST_IN_HAND), 1)
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {"key": key, "burst": burst, "wanted": wanted, "rate": rate})
        found: tuple[int, float] = cursor.fetchone()
    return found

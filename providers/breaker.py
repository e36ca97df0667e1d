"""Stop asking who does not answer."""

import threading
import time
from collections import deque
from collections.abc import Callable

FAILURES = 5
WITHIN_SECONDS = 30.0
OPEN_SECONDS = 30.0


class Breaker:
    """Opens after five failures in thirty seconds, for thirty seconds; then one probe decides.

    One per provider and process; safe to share between threads.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: deque[float] = deque(maxlen=FAILURES)
        self._opened_at: float | None = None

    def allows(self) -> bool:
        """Say whether a call may be made now; while open, one in thirty seconds, the probe."""
        with self._lock:
            if self._opened_at is None:
                return True
            if self._clock() - self._opened_at < OPEN_SECONDS:
                return False
            # Counted from here again: a probe that never reports back holds up no later one.
            self._opened_at = self._clock()
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures.clear()
            self._opened_at = None

    def failed(self) -> None:
        with self._lock:
            now = self._clock()
            self._failures.append(now)
            is_full = len(self._failures) == FAILURES
            if self._opened_at is not None or (
                is_full and now - self._failures[0] <= WITHIN_SECONDS
            ):
                self._opened_at = now

    def trip(self) -> None:
        """Open at once: what was answered will be answered again."""
        with self._lock:
            self._opened_at = self._clock()

    @property
    def is_open(self) -> bool:
        return self._opened_at is not None

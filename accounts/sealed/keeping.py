"""Write a record whatever happens: a failure is told, counted and tried again, and breaks nothing."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from enum import StrEnum

from django.db import connection

from accounts.sealed.counts import WRITES
from accounts.sealed.ledgers import Ledger, Some

log = logging.getLogger(__name__)
MOST_WAITING = 1_000
RETRY_SECONDS = 5.0


class RecordState(StrEnum):
    """WAITING: in this process's memory, tried again until it is written or the process ends."""

    RECORDED = "recorded"
    REPEATED = "repeated"
    WAITING = "waiting"


def keep(*, name: str, ledger: Ledger[Some], record: Some) -> RecordState:
    """Append a record once; a ledger that fails is not the caller's affair."""
    kept = _try(name, lambda: ledger.append_once(record))
    if kept is RecordState.WAITING:
        waiting.add(name, lambda: ledger.append_once(record))
    return kept


class RetryQueue:
    """What could not be written, oldest first; beyond the limit the oldest is lost, and counted."""

    def __init__(self) -> None:
        self._writes: deque[tuple[str, Callable[[], bool]]] = deque()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def __len__(self) -> int:
        return len(self._writes)

    def add(self, name: str, write: Callable[[], bool]) -> None:
        with self._lock:
            if len(self._writes) == MOST_WAITING:
                lost, _ = self._writes.popleft()
                WRITES.labels(lost, "lost").inc()
            self._writes.append((name, write))
            self._wind()

    def try_again(self) -> int:
        """Write what waits, in order, until one fails; return how many still wait."""
        while self._writes:
            with self._lock:
                name, write = self._writes.popleft()
            # Not under the lock: a request that has just failed does not wait for the database.
            if _try(name, write) is RecordState.WAITING:
                with self._lock:
                    self._writes.appendleft((name, write))
                break
        return len(self._writes)

    def clear(self) -> None:
        with self._lock:
            self._writes.clear()
            if self._timer:
                self._timer.cancel()
                self._timer = None

    def _wind(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(RETRY_SECONDS, self._ring)
            self._timer.daemon = True
            self._timer.start()

    def _ring(self) -> None:
        try:
            left = self.try_again()
        finally:
            connection.close()
        with self._lock:
            self._timer = None
            if left:
                self._wind()


waiting = RetryQueue()


def _try(name: str, write: Callable[[], bool]) -> RecordState:
    try:
        kept = RecordState.RECORDED if write() else RecordState.REPEATED
    except Exception as error:  # noqa: BLE001 - whatever it is, the person in need gets their answer
        # The type alone: the message of a failed statement may hold what was written.
        log.error("a record of %s is not written yet: %s", name, type(error).__name__)
        kept = RecordState.WAITING
    WRITES.labels(name, kept.value).inc()
    return kept

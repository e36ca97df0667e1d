"""What a ledger of sealed records can do, and one that lives in this process alone."""

from datetime import UTC, date
from threading import Lock
from typing import ClassVar, Generic, Protocol, TypeVar
from uuid import UUID

from accounts.pseudonyms import session_pseudonym
from accounts.sealed.records import SealedRecord

Some = TypeVar("Some", bound=SealedRecord)
# One process's memory is finite: the oldest go first.
MOST = 10_000


class RecordExists(Exception):
    """A record has this id already; it was not changed."""


class LedgerClosed(Exception):
    """The ledger was closed: nothing is written to it or read from it any more."""


class Ledger(Protocol[Some]):
    """Days are UTC. `person` and `session` are pseudonyms."""

    is_ephemeral: ClassVar[bool]

    def append(self, record: Some) -> None:
        """Append a record whose id is new. Raises RecordExists."""

    def append_once(self, record: Some) -> bool:
        """Append unless the id is known; False for a repetition."""

    def between(self, since: date, until: date) -> list[Some]:
        """Return the records of these days, both included, oldest first."""

    def count(self, *, person: str | None = None) -> int:
        """Count all, or those of one person."""

    def purge_before(self, day: date, *, on: date) -> int:
        """Delete what is older than `day` and not held `on` that day; return how many."""

    def hold(self, *, session: str, until: date, reason: str, by: str) -> int:
        """Keep a session's records until that day has passed; return how many."""

    def anonymise(self, *, person: str, on: date) -> int:
        """Cut a person's records from person and session, unless held; return how many."""

    def close(self) -> None: ...


class MemoryLedger(Generic[Some]):
    """Dies with the process, and is found in no count or list of the stored one."""

    is_ephemeral: ClassVar[bool] = True

    def __init__(self) -> None:
        self._records: dict[UUID, Some] | None = {}
        self._lock = Lock()

    def append(self, record: Some) -> None:
        if not self.append_once(record):
            raise RecordExists(str(record.pk))

    def append_once(self, record: Some) -> bool:
        with self._lock:
            records = self._open()
            if record.pk in records:
                return False
            records[record.pk] = record
            while len(records) > MOST:
                del records[next(iter(records))]
            return True

    def between(self, since: date, until: date) -> list[Some]:
        found = [one for one in self._all() if since <= _day(one) <= until]
        return sorted(found, key=lambda one: (one.at, one.pk))

    def count(self, *, person: str | None = None) -> int:
        return sum(person in (None, one.person_opaque) for one in self._all())

    def purge_before(self, day: date, *, on: date) -> int:
        old = [one for one in self._all() if _day(one) < day and not one.is_held(on)]
        with self._lock:
            for one in old:
                self._open().pop(one.pk, None)
        return len(old)

    def hold(self, *, session: str, until: date, reason: str, by: str) -> int:
        found = [one for one in self._all() if one.session_opaque == session]
        for one in found:
            one.retention_extended_until, one.retention_extended_by = until, by
            one.retention_extended_reason = reason
        return len(found)

    def anonymise(self, *, person: str, on: date) -> int:
        found = [one for one in self._all() if one.person_opaque == person and not one.is_held(on)]
        for one in found:
            one.person_opaque, one.session_opaque = None, session_pseudonym(None)
        return len(found)

    def close(self) -> None:
        self._records = None

    def _open(self) -> dict[UUID, Some]:
        if self._records is None:
            raise LedgerClosed
        return self._records

    def _all(self) -> list[Some]:
        with self._lock:
            return list(self._open().values())


def _day(record: SealedRecord) -> date:
    return record.at.astimezone(UTC).date()

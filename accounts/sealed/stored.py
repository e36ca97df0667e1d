"""A ledger in PostgreSQL, written and read by the auditor's role alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import ClassVar, Generic

from django.db import IntegrityError, transaction

from accounts.pseudonyms import session_pseudonym
from accounts.sealed.auditor import as_auditor
from accounts.sealed.ledgers import LedgerClosed, RecordExists, Some
from accounts.sealed.records import SealedQuerySet


def _nothing(record: object) -> None: ...


class StoredLedger(Generic[Some]):
    """`also` writes, in the same transaction, what is kept of a new record longer than itself."""

    is_ephemeral: ClassVar[bool] = False

    def __init__(self, model: type[Some], also: Callable[[Some], None] = _nothing) -> None:
        self._model, self._also, self._is_closed = model, also, False

    def append(self, record: Some) -> None:
        if not self.append_once(record):
            raise RecordExists(str(record.pk))

    def append_once(self, record: Some) -> bool:
        with self._records() as records:
            try:
                with transaction.atomic():
                    record.save(force_insert=True)
            except IntegrityError:
                if not records.filter(pk=record.pk).exists():
                    raise
                return False
            self._also(record)
            return True

    def between(self, since: date, until: date) -> list[Some]:
        with self._records() as records:
            found = records.between(since, until).order_by("at", "pk")
            return [one for one in found if isinstance(one, self._model)]

    def count(self, *, person: str | None = None) -> int:
        with self._records() as records:
            return (records.filter(person_opaque=person) if person else records).count()

    def purge_before(self, day: date, *, on: date) -> int:
        with self._records() as records:
            return records.before(day).free(on).delete()[0]

    def hold(self, *, session: str, until: date, reason: str, by: str) -> int:
        with self._records() as records:
            return records.filter(session_opaque=session).update(
                retention_extended_until=until,
                retention_extended_reason=reason,
                retention_extended_by=by,
            )

    def anonymise(self, *, person: str, on: date) -> int:
        with self._records() as records:
            theirs = records.filter(person_opaque=person).free(on)
            return theirs.update(person_opaque=None, session_opaque=session_pseudonym(None))

    def close(self) -> None:
        self._is_closed = True

    @contextmanager
    def _records(self) -> Iterator[SealedQuerySet]:
        if self._is_closed:
            raise LedgerClosed
        with as_auditor():
            yield SealedQuerySet(self._model)

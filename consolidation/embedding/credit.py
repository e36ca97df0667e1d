"""Texts of several owners to vectors, each owner's at their own cost."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Protocol, TypeVar

from django.contrib.postgres.functions import TransactionNow

from accounts.billing import charged_to
from accounts.credits import seconds_until_tomorrow
from consolidation.errors import Postponed
from consolidation.models import Job
from memory.vectors import Vector
from providers.base import Embedder
from providers.errors import OutOfCredit, ProviderFault
from providers.metered import MeteredEmbedder


class Owned(Protocol):
    """A row of somebody's memory."""

    @property
    def owner_id(self) -> int: ...


Row = TypeVar("Row", bound=Owned)


def embed_each(
    model: Embedder,
    rows: Sequence[Row],
    text: Callable[[Row], str],
    *,
    spent: set[int],
) -> list[tuple[Row, Vector | None]]:
    """Return the rows with their vectors, without those of owners who cannot pay.

    These are added to `spent`. Raises ProviderFault.
    """
    if not isinstance(model, MeteredEmbedder):
        return list(zip(rows, model.embed([text(row) for row in rows]), strict=True))
    found: list[tuple[Row, Vector | None]] = []
    for owner, group in groupby(rows, key=lambda row: row.owner_id):
        mine = list(group)
        try:
            with charged_to(owner):
                vectors = model.embed([text(row) for row in mine])
        except OutOfCredit:
            spent.add(owner)
        except ProviderFault:
            if not found:
                raise
            # What has been paid for is kept; the rest asks again.
            return found
        else:
            found += zip(mine, vectors, strict=True)
    return found


def wait_for_credit(spent: set[int]) -> None:
    """Raise Postponed until tomorrow if anybody could not pay."""
    if spent:
        raise Postponed(OutOfCredit.code, seconds=seconds_until_tomorrow(), counts=False)


def is_waiting_for_credit(kind: str) -> bool:
    """Say whether a job of a kind waits until somebody can pay again."""
    waiting = Job.objects.filter(kind=kind, state=Job.State.DUE, not_before__gt=TransactionNow())
    return waiting.filter(last_error_code=OutOfCredit.code).exists()


def resume() -> int:
    """Make jobs due that wait because somebody could not pay; return how many."""
    waiting = Job.objects.filter(state=Job.State.DUE, last_error_code=OutOfCredit.code)
    return waiting.update(not_before=TransactionNow(), dispatched_at=None)

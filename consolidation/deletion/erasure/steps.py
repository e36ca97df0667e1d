"""The steps of an erasure, in order; each is one short transaction and may be done twice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accounts.models import User
from consolidation.deletion.erasure import elsewhere
from consolidation.deletion.places.table import PLACES, Place
from consolidation.models import Erasure

Counts = dict[str, int]


@dataclass(frozen=True, slots=True)
class ErasureStep:
    name: str
    do: Callable[[Erasure], Counts]


def clear(place: Place, owners: Sequence[int]) -> int:
    """Delete or empty an owner's rows of one table; return how many."""
    rows = place.rows(owners)
    elsewhere.empty_log(rows)
    if place.emptied:
        return rows.update(**place.emptied)
    return rows._raw_delete(rows.db)  # noqa: SLF001 - what hangs on a row goes before it


def _of(place: Place) -> ErasureStep:
    return ErasureStep(place.label, lambda erasure: {place.label: clear(place, erasure.owners)})


def _of_owners(label: str, do: Callable[[Sequence[int]], int]) -> ErasureStep:
    return ErasureStep(label, lambda erasure: {label: do(erasure.owners)})


def _audit(erasure: Erasure) -> Counts:
    person = User.objects.filter(pk=erasure.user).first() if erasure.user else None
    name = f"erased {erasure.pseudonyms[0][:12]}"
    return {"audit.AuditEntry": elsewhere.rename_in_audit(person, name) if person else 0}


STEPS: tuple[ErasureStep, ...] = (
    _of_owners("consolidation.Job", elsewhere.delete_jobs),
    _of_owners("accounts.IdempotencyKey", elsewhere.delete_repeated),
    *(_of(place) for place in PLACES),
    _of_owners("graphs", elsewhere.drop_graphs),
    _of_owners("files", elsewhere.delete_files),
    ErasureStep("audit.AuditEntry", _audit),
)


def residue(owners: Sequence[int]) -> Counts:
    """Return the tables that still hold something of the owners, with how much: the verification."""
    left = {place.label: place.rows(owners).count() for place in PLACES}
    return {label: count for label, count in left.items() if count}

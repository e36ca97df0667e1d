"""Who pays for the calls of models: said once around the work, read where a call is made."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner


@dataclass(frozen=True, slots=True)
class Charge:
    """Whose memory a call works for, and what for; a call outside of any is the installation's."""

    owner: int | None = None
    purpose: str = ""
    session: UUID | None = None
    spares_user: bool = False


_charge: ContextVar[Charge] = ContextVar("charge", default=Charge())  # noqa: B039 - frozen


def current() -> Charge:
    return _charge.get()


@contextmanager
def charged_to(
    owner: Owner | int | None,
    *,
    purpose: str = "",
    session: UUID | None = None,
    spares_user: bool = False,
) -> Iterator[None]:
    """Charge the calls of models inside to an owner, or to that owner's id.

    Inside another charge, what is left out stays as it was there. Without a purpose, a call is
    entered under its task's own. `spares_user` leaves the user's balance and budgets alone: the
    operator wants the work, and the organization pays. Threads start outside of any charge.
    """
    around = _charge.get()
    who = owner.pk if isinstance(owner, Owner) else owner
    is_same = who is None or who == around.owner
    kept = around.session if is_same else None
    charge = Charge(
        owner=around.owner if who is None else who,
        purpose=purpose or around.purpose,
        session=session or kept,
        spares_user=spares_user or around.spares_user,
    )
    token = _charge.set(charge)
    try:
        yield
    finally:
        _charge.reset(token)

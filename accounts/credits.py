"""Balances and budgets: reserve before a call, settle after it, never more than there is.

Whoever changes several of them takes the budgets first, by their ids, then the balance.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Greatest, Now

from accounts.billing import Charge
from accounts.models import Agent, Balance, Budget, Organization, Owner, User
from audit import costs
from audit.costs import CostedCall, Payer
from audit.log import record

NOTHING = Decimal(0)
# Longer than it takes until somebody asks again.
LATELY = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Reservation:
    """A call that may be made: what was taken for it, from whom, and of which day."""

    entry: int
    payer: Payer
    is_limited: bool
    micro_usd: Decimal
    day: date


def today() -> date:
    return datetime.now(UTC).date()


def seconds_until_tomorrow() -> float:
    """Return how long the budgets of today last, in UTC."""
    now = datetime.now(UTC)
    return (
        datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC) - now
    ).total_seconds()


def reserve(charge: Charge, call: CostedCall) -> Reservation | None:
    """Take what a call is expected to cost and enter it; None, and nothing taken, if it is too much."""
    payer, is_limited = _payer(charge)
    day, session = today(), charge.session
    if not is_limited:
        entry = costs.record(payer=payer, call=call, day=day, session=session)
        return Reservation(entry, payer, False, call.micro_usd, day)
    with transaction.atomic():
        if not _take(payer, call.micro_usd, day):
            costs.refuse(payer=payer, call=call, day=day, session=session)
            return None
        entry = costs.record(payer=payer, call=call, day=day, session=session)
    return Reservation(entry, payer, True, call.micro_usd, day)


def settle(reservation: Reservation, call: CostedCall | None) -> None:
    """Write what a call really took, None for nothing, and give back or take the difference.

    What it took beyond the reservation is taken as far as it is there.
    """
    with transaction.atomic():
        if not costs.settle(entry=reservation.entry, call=call) or not reservation.is_limited:
            return
        more = (call.micro_usd if call else NOTHING) - reservation.micro_usd
        if not more:
            return
        payer = reservation.payer
        spent = _locked(payer).filter(day=reservation.day)
        spent.update(spent_micro_usd=Greatest(F("spent_micro_usd") + more, NOTHING))
        left = Greatest(F("micro_usd") - more, NOTHING)
        Balance.objects.filter(user=payer.user).update(micro_usd=left)


@transaction.atomic
def set_balance(*, user: User, micro_usd: Decimal | None, actor: str) -> None:
    """Give a user a balance, or with None take the limit away."""
    if micro_usd is None:
        Balance.objects.filter(user=user).delete()
    else:
        Balance.objects.update_or_create(user=user, defaults={"micro_usd": micro_usd})
    record(actor=actor, action="balance.set", subject=str(user.pk), detail=_said(micro_usd))


@transaction.atomic
def set_budget(
    *,
    organization: Organization,
    agent: Agent | None = None,
    user: User | None = None,
    micro_usd: Decimal | None,
    actor: str,
) -> Budget | None:
    """Set what may be spent per day, or with None take the limit away.

    A new one counts what was spent today already.
    """
    place = {"organization": organization, "agent": agent, "user": user}
    known = Budget.objects.filter(
        organization=organization,
        agent__isnull=agent is None,
        user__isnull=user is None,
        **{name: row for name, row in (("agent", agent), ("user", user)) if row},
    )
    names = "/".join(str(row.pk) for row in (organization, agent, user) if row)
    record(actor=actor, action="budget.set", subject=names, detail=_said(micro_usd))
    if micro_usd is None:
        known.delete()
        return None
    if known.update(micro_usd=micro_usd, updated_at=Now()):
        return known.get()
    budget = Budget(**place, micro_usd=micro_usd)
    count_what_was_spent(budget)
    budget.save()
    return budget


def count_what_was_spent(budget: Budget) -> None:
    """Let a budget that is not stored yet count what was spent today already."""
    payer = Payer(budget.organization_id, budget.agent_id, None, budget.user_id)
    budget.day = today()
    budget.spent_micro_usd = costs.spent(payer, budget.day)


def is_beyond_a_budget(micro_usd: Decimal) -> bool:
    """Say whether an amount is more than any agent's or organization's budget has left today."""
    day = today()
    return any(one.left(day) < micro_usd for one in Budget.objects.filter(user=None))


def has_grown() -> bool:
    """Say whether a balance or a budget was set in the last minutes."""
    lately = Q(updated_at__gt=Now() - LATELY)
    return Balance.objects.filter(lately).exists() or Budget.objects.filter(lately).exists()


def budgets_of(payer: Payer) -> QuerySet[Budget]:
    """Return the budgets that cover a payer."""
    return Budget.objects.filter(
        Q(agent=None) | Q(agent=payer.agent),
        Q(user=None) | Q(user=payer.user),
        organization=payer.organization,
    )


def _said(micro_usd: Decimal | None) -> dict[str, str | int]:
    return {"micro_usd": "none" if micro_usd is None else str(micro_usd)}


def _payer(charge: Charge) -> tuple[Payer, bool]:
    """Return who pays, and whether anything limits what they may spend."""
    if charge.owner is None:
        return Payer(), False
    budgets = Budget.objects.filter(organization=OuterRef("agent__organization"))
    balances = Balance.objects.filter(user=OuterRef("user"))
    row = (
        Owner.objects.filter(pk=charge.owner)
        .annotate(is_limited=Q(Exists(budgets)) | Q(Exists(balances)))
        .values_list("agent__organization", "agent", "user", "is_limited")
        .first()
    )
    if row is None:
        return Payer(owner=charge.owner), False
    organization, agent, user, is_limited = row
    return Payer(
        organization, agent, charge.owner, None if charge.spares_user else user
    ), is_limited


def _take(payer: Payer, micro_usd: Decimal, day: date) -> bool:
    """Take an amount from all that limits the payer, or from nothing."""
    budgets = _locked(payer)
    if any(one.left(day) < micro_usd for one in budgets.all()):
        return False
    if not _is_deducted(payer, micro_usd):
        return False
    before = Case(When(day=day, then=F("spent_micro_usd")), default=Value(NOTHING))
    budgets.update(spent_micro_usd=before + micro_usd, day=day)
    return True


def _is_deducted(payer: Payer, micro_usd: Decimal) -> bool:
    """Deduct in one statement what the user's balance holds; False if it holds less."""
    mine = Balance.objects.filter(user=payer.user)
    enough = mine.filter(micro_usd__gte=micro_usd)
    if payer.user is None or enough.update(micro_usd=F("micro_usd") - micro_usd):
        return True
    return not mine.exists()


def _locked(payer: Payer) -> QuerySet[Budget]:
    """Lock the budgets that cover a payer until the transaction ends, always in the same order."""
    locked = budgets_of(payer).select_for_update(of=("self",)).order_by("pk")
    return Budget.objects.filter(pk__in=list(locked.values_list("pk", flat=True)))

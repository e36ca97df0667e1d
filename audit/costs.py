"""The ledger of paid calls: enter one, settle it, and add them up."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Now

from audit.models import CostEntry

State = CostEntry.State
# No call takes longer: what is unsettled after this is somebody's who died.
STALE = timedelta(minutes=30)


class By(Enum):
    """By what costs are added up."""

    AGENT = "agent"
    USER = "user"
    PURPOSE = "purpose"
    DAY = "day"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Payer:
    """For whom a call is made; all None is the installation itself."""

    organization: UUID | None = None
    agent: UUID | None = None
    owner: int | None = None
    user: UUID | None = None


@dataclass(frozen=True, slots=True)
class CostedCall:
    """A call and what it costs, as it is expected or as it was."""

    purpose: str
    provider: str
    model: str
    micro_usd: Decimal
    price_version: str
    input_tokens: int = 0
    output_tokens: int = 0
    embedding_tokens: int = 0
    is_unpriced: bool = False


@dataclass(frozen=True, slots=True)
class Total:
    """What calls cost together; `key` is what they share, None for what has no such thing."""

    key: str | UUID | date | None
    calls: int
    refused: int
    input_tokens: int
    output_tokens: int
    embedding_tokens: int
    micro_usd: Decimal


def record(*, payer: Payer, call: CostedCall, day: date, session: UUID | None = None) -> int:
    """Enter a call at its estimate, in the caller's transaction; return the entry's id."""
    entry = _entry(payer, call, State.RESERVED, day, session)
    entry.save()
    return int(entry.pk)


def refuse(*, payer: Payer, call: CostedCall, day: date, session: UUID | None = None) -> None:
    """Enter that a call was not paid for, in the caller's transaction: once per owner, purpose and day."""
    nothing = replace(call, micro_usd=Decimal(0))
    entry = _entry(payer, nothing, State.REFUSED, day, session)
    CostEntry.objects.bulk_create([entry], ignore_conflicts=True)


def settle(*, entry: int, call: CostedCall | None) -> bool:
    """Write what a reserved call really took, nothing for None; False if it is settled already."""
    if call is None:
        changes: Mapping[str, object] = {
            "state": State.FAILED,
            "micro_usd": Decimal(0),
            "input_tokens": 0,
            "output_tokens": 0,
            "embedding_tokens": 0,
        }
    else:
        changes = {
            "state": State.SETTLED,
            "micro_usd": call.micro_usd,
            "input_tokens": call.input_tokens,
            "output_tokens": call.output_tokens,
            "embedding_tokens": call.embedding_tokens,
        }
    return bool(CostEntry.objects.filter(pk=entry, state=State.RESERVED).update(**changes))


def settle_stale() -> int:
    """Settle at its estimate what was reserved by somebody who died; return how many."""
    stale = CostEntry.objects.filter(state=State.RESERVED, created_at__lt=Now() - STALE)
    return stale.update(state=State.SETTLED)


def entries(organization: UUID, first: date, last: date) -> QuerySet[CostEntry]:
    """Return an organization's entries of some days, both included."""
    return CostEntry.objects.filter(organization=organization, day__range=(first, last))


def totals(found: QuerySet[CostEntry], by: By) -> list[Total]:
    """Add entries up in the database, the dearest first; days in their order."""
    is_refused = Q(state=State.REFUSED)
    sums = {
        f"sum_{name}": Sum(name, filter=~is_refused, default=0)
        for name in ("input_tokens", "output_tokens", "embedding_tokens")
    }
    rows = (
        found.values(key=F(by.value))
        .annotate(calls=Count("pk", filter=~is_refused), refused=Count("pk", filter=is_refused))
        .annotate(**sums, cost=Sum("micro_usd"))
        .order_by(*(("key",) if by is By.DAY else ("-cost", "key")))
    )
    return [Total(*row) for row in rows.values_list("key", "calls", "refused", *sums, "cost")]


def spent(payer: Payer, day: date) -> Decimal:
    """Return what was spent on a day within an organization, by one agent or user where named."""
    rows = CostEntry.objects.filter(organization=payer.organization, day=day)
    if payer.agent:
        rows = rows.filter(agent=payer.agent)
    if payer.user:
        rows = rows.filter(user=payer.user)
    found: Decimal = rows.aggregate(sum=Sum("micro_usd", default=Decimal(0)))["sum"]
    return found


def _entry(
    payer: Payer, call: CostedCall, state: str, day: date, session: UUID | None
) -> CostEntry:
    return CostEntry(
        **asdict(payer),
        session=session,
        purpose=call.purpose[:40],
        provider=call.provider[:40],
        model=call.model[:200],
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        embedding_tokens=call.embedding_tokens,
        price_version=call.price_version,
        is_unpriced=call.is_unpriced,
        micro_usd=call.micro_usd,
        state=state,
        day=day,
    )

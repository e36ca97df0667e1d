"""Write down a detected crisis, and count those of a person."""

from dataclasses import asdict, dataclass, field
from uuid import UUID

from django.db.models import F, Sum

from accounts.ids import new_id
from accounts.models import Owner
from accounts.pseudonyms import person_pseudonym, scoped_id, session_pseudonym
from accounts.sealed.auditor import as_auditor
from accounts.sealed.keeping import RecordState, keep
from accounts.sealed.ledgers import Ledger, MemoryLedger
from accounts.sealed.stored import StoredLedger
from crisis.models import FALLBACK_LENGTH, REASON_LENGTH, CrisisDay, CrisisRecord
from crisis.reasons import in_our_words

NAME = "crisis"


@dataclass(frozen=True, slots=True)
class Detection:
    """What an agent found, and how it answered. `reason` may be anything; see `in_our_words`."""

    level: int
    classifier_path: str
    override_kind: str = ""
    reason: str = ""
    response_node_completed: bool = False
    llm_failure_occurred: bool = False
    response_style: str = ""
    resource_lookup_status: str = CrisisRecord.Lookup.NOT_ATTEMPTED.value
    resource_count: int = 0
    tool_calls: list[str] = field(default_factory=list)
    response_path: str = CrisisRecord.ResponsePath.UNKNOWN.value
    fallback_reason: str = ""
    trace_id: str = ""


def report_crisis(
    *,
    session: UUID,
    owner: Owner | None,
    detection: Detection,
    id: UUID | None = None,
    ledger: Ledger[CrisisRecord] | None = None,
) -> RecordState:
    """Record a detection once per `id`, in whatever mode; it never fails its caller.

    `owner` None leaves no person; `id` None makes every call a record of its own.
    """
    fields = asdict(detection) | {
        "reason": in_our_words(detection.reason, REASON_LENGTH),
        "fallback_reason": in_our_words(detection.fallback_reason, FALLBACK_LENGTH),
    }
    record = CrisisRecord(
        id=scoped_id(session, id) if id else new_id(),
        session_opaque=session_pseudonym(session),
        person_opaque=person_pseudonym(owner) if owner else None,
        **fields,
    )
    return keep(name=NAME, ledger=ledger or STORED, record=record)


def count_crises(*, owner: Owner) -> int:
    """Count a person's own records; none are told of an owner that is no person."""
    person = person_pseudonym(owner)
    return STORED.count(person=person) if person else 0


def count_year(year: int) -> dict[str, int]:
    """Return a year's numbers by level, and of referrals to help, as the law asks: nobody is in them."""
    with as_auditor():
        days = CrisisDay.objects.filter(day__year=year)
        levels = dict(days.values_list("level").annotate(Sum("count")).order_by("level"))
        referrals = days.filter(is_referral=True).aggregate(n=Sum("count"))["n"]
    named = {f"level {level.value}": levels.get(level.value, 0) for level in CrisisRecord.Level}
    return named | {"referrals": referrals or 0}


def _add_to_its_day(record: CrisisRecord) -> None:
    place = {"day": record.at.date(), "level": record.level, "is_referral": record.is_referral}
    CrisisDay.objects.bulk_create([CrisisDay(**place, count=0)], ignore_conflicts=True)
    CrisisDay.objects.filter(**place).update(count=F("count") + 1)


STORED = StoredLedger(CrisisRecord, also=_add_to_its_day)
# Incognito: gone with the process, and in no count.
EPHEMERAL: MemoryLedger[CrisisRecord] = MemoryLedger()

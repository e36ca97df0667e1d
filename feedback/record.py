"""Write down how a session was liked, and count what a person said."""

from uuid import UUID

from accounts.models import Owner
from accounts.pseudonyms import person_pseudonym, scoped_id, session_pseudonym
from accounts.sealed.auditor import as_auditor
from accounts.sealed.keeping import RecordState, keep
from accounts.sealed.ledgers import Ledger, MemoryLedger
from accounts.sealed.stored import StoredLedger
from feedback.models import FeedbackQuerySet, FeedbackRecord

NAME = "feedback"


def record_feedback(
    *,
    session: UUID,
    owner: Owner | None,
    label: str,
    turns: int,
    source: str = FeedbackRecord.Source.API_END.value,
    ledger: Ledger[FeedbackRecord] | None = None,
) -> RecordState:
    """Record the label of a session's end, the first one that comes; it never fails its caller.

    `owner` None leaves no person.
    """
    record = FeedbackRecord(
        id=scoped_id(session, session),
        session_opaque=session_pseudonym(session),
        person_opaque=person_pseudonym(owner) if owner else None,
        label=label,
        turn_count_at_end=turns,
        source=source,
    )
    return keep(name=NAME, ledger=ledger or STORED, record=record)


def count_feedback(*, owner: Owner) -> int:
    """Count a person's own records; none are told of an owner that is no person."""
    person = person_pseudonym(owner)
    return STORED.count(person=person) if person else 0


def count_year(year: int) -> dict[str, int]:
    """Return how often each label was given in a year, of what is still kept."""
    with as_auditor():
        labels = FeedbackQuerySet(FeedbackRecord).labels_of(year)
    return {label: labels.get(label, 0) for label in FeedbackRecord.Label.values}


STORED = StoredLedger(FeedbackRecord)
# Incognito: gone with the process, and in no count.
EPHEMERAL: MemoryLedger[FeedbackRecord] = MemoryLedger()

"""What an operator does with sealed records; each act leaves its row in the audit."""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from accounts.models import Owner
from accounts.pseudonyms import person_pseudonym, session_pseudonym
from accounts.sealed.ledgers import Ledger, Some
from audit.log import record


def read_records(
    *, name: str, ledger: Ledger[Some], since: date, until: date, actor: str, reason: str
) -> list[Some]:
    """Return the records of these days; that they were read, by whom and why, is written first."""
    record(
        actor=actor,
        action=f"{name}.read",
        subject=f"{since} to {until}",
        detail={"reason": reason},
    )
    return ledger.between(since, until)


def purge_records(
    *, name: str, ledger: Ledger[Some], days: int, actor: str, today: date | None = None
) -> int:
    """Delete what is older than so many days and not held; the cutoff day itself is kept."""
    on = today or datetime.now(UTC).date()
    cutoff = on - timedelta(days=days)
    purged = ledger.purge_before(cutoff, on=on)
    record(
        actor=actor, action=f"{name}.purge", subject=f"before {cutoff}", detail={"purged": purged}
    )
    return purged


def hold_records(
    *, name: str, ledger: Ledger[Some], session: UUID, until: date, actor: str, reason: str
) -> int:
    """Keep a session's records until a day has passed, whatever the retention says."""
    pseudonym = session_pseudonym(session)
    held = ledger.hold(session=pseudonym, until=until, reason=reason, by=actor)
    record(
        actor=actor,
        action=f"{name}.hold",
        subject=pseudonym[:12],
        detail={"until": str(until), "reason": reason, "held": held},
    )
    return held


def anonymise_records(*, name: str, ledger: Ledger[Some], owner: Owner, actor: str) -> int:
    """Cut a person's records from person and session, before the person is deleted.

    What is under a hold stays as it is: the law that holds it comes first.
    """
    person = person_pseudonym(owner)
    if person is None:
        return 0
    cut = ledger.anonymise(person=person, on=datetime.now(UTC).date())
    record(actor=actor, action=f"{name}.anonymise", subject=person[:12], detail={"anonymised": cut})
    return cut

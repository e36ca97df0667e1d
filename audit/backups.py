"""What backups and restores leave in the ledger of acts: when the last was made, and what is unfinished."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from audit.log import record
from audit.models import AuditEntry

ACTOR = "command"
MADE = "backup.made"
OLD = timedelta(days=2)
LOADED, RESTORED = "restore.loaded", "restore.done"


@dataclass(frozen=True, slots=True)
class Backup:
    """The newest backup that is known of."""

    at: datetime
    bytes: int
    seconds: int

    @property
    def age(self) -> float:
        """How many seconds ago it was made."""
        return max(0.0, (timezone.now() - self.at).total_seconds())

    @property
    def is_old(self) -> bool:
        return self.age > OLD.total_seconds()


@transaction.atomic
def note_backup(*, id: str, bytes: int, seconds: int) -> None:
    record(actor=ACTOR, action=MADE, subject=id, detail={"bytes": bytes, "seconds": seconds})


def last_backup() -> Backup | None:
    entry = AuditEntry.objects.filter(action=MADE).order_by("-at").first()
    if entry is None:
        return None
    said = entry.detail
    return Backup(entry.at, int(said.get("bytes", 0)), int(said.get("seconds", 0)))


def is_restoring() -> bool:
    """Say whether a restore has loaded an archive and not yet ended: nothing may be served."""
    found = AuditEntry.objects.filter(action__in=(LOADED, RESTORED)).order_by("-at", "-pk")
    return found.values_list("action", flat=True).first() == LOADED

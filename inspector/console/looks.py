"""That staff looked at somebody's memory: noted once per owner, kind of page and hour."""

from collections.abc import Collection
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from audit.models import AuditEntry

ONCE_IN = timedelta(hours=1)


def note_looks(person: User, page: str, owners: Collection[int]) -> None:
    """Write who saw what, in two statements however many owners a page shows."""
    subjects = {f"owner {one}" for one in owners}
    lately = AuditEntry.objects.filter(
        at__gt=timezone.now() - ONCE_IN,
        action="memory.view",
        actor=str(person),
        subject__in=subjects,
        detail__page=page,
    )
    fresh = subjects - set(lately.values_list("subject", flat=True))
    AuditEntry.objects.bulk_create(
        AuditEntry(actor=str(person), action="memory.view", subject=one, detail={"page": page})
        for one in sorted(fresh)
    )

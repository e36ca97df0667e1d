"""When the documents of V were last of use: what nobody needs may be forgotten."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from knowledge.models import ContextDocument

# Forgetting counts in days: a document that every turn holds is written once in so long.
APART = timedelta(hours=12)


def mark_used(*, owner: Owner, ids: Sequence[UUID], now: datetime) -> None:
    """Keep when a prompt last held these documents; without any nothing is sent."""
    if not ids:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - APART)
    ContextDocument.objects.filter(stale, owner=owner, pk__in=ids).update(last_used_at=now)

"""Which saved facts matter: raised when they are used, lowered as time goes by."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.models import Owner
from accounts.owners import scope_of
from knowledge.models import SavedFact
from ranking.decay import KEPT, LEAST, reinforced

TOP = 10
DAY = timedelta(days=1)
TOUCHED = ("access_count", "last_accessed_at", "decay_score")
# A fact fades by one step in this time, however often the job runs.
STEP = timedelta(hours=6)


def top_facts(owner: Owner, limit: int = TOP) -> list[SavedFact]:
    """Return what matters most of an owner's facts, without a question."""
    mine = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk))
    return list(mine.by_salience().defer("embedding", "tsv")[:limit])


@transaction.atomic
def touch(*, owner: Owner, ids: Iterable[UUID]) -> int:
    """Count one access of each of these facts, now; return how many there still were."""
    mine = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk))
    # In one order always: two who touch the same facts wait for each other, and never in a ring.
    rows = list(mine.filter(pk__in=list(ids)).order_by("pk").select_for_update())
    for row in rows:
        reinforce(row, timezone.now())
    SavedFact.objects.bulk_update(rows, TOUCHED)
    return len(rows)


def reinforce(row: SavedFact, now: datetime) -> None:
    """Count an access; one that was never asked for is as old as its saving."""
    days = max((now - (row.last_accessed_at or row.created_at)) / DAY, 0.0)
    row.access_count += 1
    row.decay_score = reinforced(row.access_count, days)
    row.last_accessed_at = now


def decay_facts(now: datetime) -> int:
    """Lower every fact that has not faded for one step; return how many."""
    due = Q(decayed_at__lte=now - STEP) | Q(decayed_at=None, created_at__lte=now - STEP)
    lower = Greatest(F("decay_score") * Value(KEPT), Value(LEAST))
    return SavedFact.objects.filter(due).update(decay_score=lower, decayed_at=now)

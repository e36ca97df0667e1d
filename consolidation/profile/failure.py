"""A run that came to nothing, and the observations that it leaves behind."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from consolidation.jobs.queue import Attempt, holding
from consolidation.models import ContextEvent, SynthesisRun
from consolidation.profile.request import request_synthesis

MOST_ATTEMPTS = 3


def fail(job: Attempt, run: SynthesisRun, code: str) -> bool:
    """End a run whose answer is of no use; say whether its observations are set aside now.

    Nothing of the picture changed. Each observation keeps the code. Raises LeaseLost.
    """
    with holding(job):
        mine = ContextEvent.objects.waiting().filter(run=run)
        mine.update(attempts=F("attempts") + 1, error_code=code)
        spent = mine.filter(attempts__gte=MOST_ATTEMPTS)
        is_over = not mine.filter(attempts__lt=MOST_ATTEMPTS).exists()
        # Set aside last: the rows are known by waiting.
        mine.filter(attempts__lt=MOST_ATTEMPTS).update(run=None)
        spent.update(set_aside_at=timezone.now())
        run.state, run.error_code, run.reply = SynthesisRun.State.FAILED, code, None
        run.finished_at = timezone.now()
        run.save(update_fields=["state", "error_code", "reply", "finished_at"])
    return is_over


def note(job: Attempt, run: SynthesisRun, code: str) -> None:
    """Say in a run why it waits. Raises LeaseLost."""
    with holding(job):
        run.error_code = code
        run.save(update_fields=["error_code"])


def release(job: Attempt, run: SynthesisRun) -> None:
    """Forget a reply: some of what the model was shown is gone. Raises LeaseLost."""
    with holding(job):
        run.reply, run.state = None, SynthesisRun.State.CLAIMED
        run.save(update_fields=["reply", "state"])


@transaction.atomic
def put_back(events: Iterable[UUID]) -> int:
    """Have observations that were set aside tried again, with all their attempts; return how many."""
    aside = ContextEvent.objects.filter(pk__in=list(events), processed=False)
    rows = aside.exclude(set_aside_at=None).select_for_update()
    found = list(rows.values_list("pk", "owner"))
    again = ContextEvent.objects.filter(pk__in=[pk for pk, _ in found])
    again.update(set_aside_at=None, attempts=0, run=None)
    for owner in {owner for _, owner in found}:
        request_synthesis(owner)
    return len(found)

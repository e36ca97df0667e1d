"""The round of the MemoryProcessor: one job for each owner whose observations are due."""

from datetime import datetime

from django.utils import timezone

from consolidation.jobs.queue import Attempt
from consolidation.profile.parts.ageing import lasting
from consolidation.profile.request import due_owners, request_synthesis, without_a_job
from knowledge.models import UserNarrative


def run(job: Attempt) -> None:
    """Make the jobs. One owner's failure is that owner's job's alone."""
    now = timezone.now()
    owners = {*due_owners(now), *_outworn(now)}
    for owner in without_a_job(sorted(owners)):
        request_synthesis(owner)


def _outworn(now: datetime) -> list[int]:
    """Return the owners whose narrative says what nobody bore out for longer than their agent wants."""
    kept = UserNarrative.objects.filter(owner__agent__narrative_days__isnull=False)
    rows = kept.exclude(text="").select_related("owner__agent")
    return [
        row.owner_id
        for row in rows.iterator()
        if len(lasting(row.statements, row.owner.agent.narrative_days, now)) < len(row.statements)
    ]

"""Ask for an owner's observations to be worked in; whoever asks never waits for it."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Min, Q

from accounts.models import Agent
from consolidation.jobs.queue import enqueue
from consolidation.models import ContextEvent, Job

KIND = "synthesise"
LONGEST_WAIT = 5


def request_synthesis(owner: int) -> int:
    """Make the job of an owner, in the caller's transaction; return its id."""
    return enqueue(kind=KIND, key=str(owner), subject=f"profile:{owner}", owner=owner)


def may_synthesise(agent: Agent) -> bool:
    """Say whether observations of the agent's users become a picture of them."""
    return agent.keeps_profile and settings.CHAT != "null"


def due_owners(now: datetime) -> list[int]:
    """Return the owners with observations that wait, and of whom nothing new comes just now.

    A run works all that waits into one answer of the model: a conversation is one run, not one for
    each message. Nobody waits longer than `LONGEST_WAIT` times the quiet.
    """
    if settings.CHAT == "null":
        return []
    quiet = timedelta(seconds=settings.SYNTHESIS_QUIET_SECONDS)
    waiting = ContextEvent.objects.waiting().filter(owner__agent__keeps_profile=True)
    spans = waiting.values("owner").annotate(first=Min("created_at"), last=Max("created_at"))
    due = spans.filter(Q(last__lte=now - quiet) | Q(first__lte=now - LONGEST_WAIT * quiet))
    return list(due.values_list("owner", flat=True).order_by("owner"))


def without_a_job(owners: Iterable[int]) -> list[int]:
    """Keep the owners that no job is under way for: one that waits for a provider waits its time."""
    under_way = set(Job.objects.open().filter(kind=KIND).values_list("key", flat=True))
    return [owner for owner in owners if str(owner) not in under_way]

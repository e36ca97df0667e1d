"""Ask for an owner's observations to be worked in; whoever asks never waits for it."""

from collections.abc import Iterable

from django.conf import settings

from accounts.models import Agent
from consolidation.jobs.queue import enqueue
from consolidation.models import ContextEvent, Job

KIND = "synthesise"


def request_synthesis(owner: int) -> int:
    """Make the job of an owner, in the caller's transaction; return its id."""
    return enqueue(kind=KIND, key=str(owner), subject=f"profile:{owner}")


def may_synthesise(agent: Agent) -> bool:
    """Say whether observations of the agent's users become a picture of them."""
    return agent.keeps_profile and settings.CHAT != "null"


def waiting_owners() -> list[int]:
    """Return the owners with observations that wait."""
    if settings.CHAT == "null":
        return []
    waiting = ContextEvent.objects.waiting().filter(owner__agent__keeps_profile=True)
    return list(waiting.values_list("owner", flat=True).distinct().order_by("owner"))


def without_a_job(owners: Iterable[int]) -> list[int]:
    """Keep the owners that no job is under way for: one that waits for a provider waits its time."""
    under_way = set(Job.objects.open().filter(kind=KIND).values_list("key", flat=True))
    return [owner for owner in owners if str(owner) not in under_way]

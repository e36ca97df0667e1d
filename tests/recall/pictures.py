"""Pictures of alice, written as a synthesis writes them."""

from datetime import UTC, datetime

from django.utils import timezone

from accounts.models import Connection
from knowledge.models import LearnedInfo, Scaffold, ScaffoldEntry, UserNarrative

W = "Alice bakes bread. She wants to open a bakery."
S = {"Role": "baker", "Goals": {"year": "open a bakery"}, "Projects": {"oven": "a new stone"}}
WHEN = datetime(2026, 5, 8, 9, 30, tzinfo=UTC)


def picture(owner, *, w: str = W, s: object = None, learned: tuple[str, ...] = ("has a cat",)):
    """Give an owner a narrative, a scaffold and learned info."""
    return (
        UserNarrative.objects.create(owner=owner, text=w, version=3),
        Scaffold.objects.create(owner=owner, data=S if s is None else s, version=5),
        LearnedInfo.objects.create(owner=owner, items=[*learned], version=2),
    )


def sure(owner, path: str, confidence: float) -> ScaffoldEntry:
    return ScaffoldEntry.objects.create(
        owner=owner,
        path=path,
        confidence=confidence,
        channel="interactive",
        observed_at=timezone.now(),
    )


def connect(owner, tool: str = "jira", **fields) -> Connection:
    fields = {"persistent_learned_info": {"default_project": f"{tool}-PROJ"}} | fields
    return Connection.objects.create(owner=owner, tool=tool, **fields)

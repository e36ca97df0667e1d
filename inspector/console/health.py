"""How the work stands: what waits, what died, what no vector finds yet, and who is alive."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from consolidation.jobs.heartbeat import SILENT_SECONDS, seconds_since_last
from consolidation.models import ContextEvent, Job
from inspector.console.meanings import PROVIDER
from knowledge.models import ChangeItem, ContextDocument, Fact, KnowledgeDocument
from memory.models import Chunk, EmbeddingSpace

SHOWN = 10
MOST_WAITING = 1_000
LATE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Queue:
    """Of the whole installation, without the periodic jobs. Seconds."""

    due: int
    running: int
    dead: int
    held_up: int
    since: datetime | None
    silence: float | None

    @property
    def lag(self) -> float:
        """How long the oldest job that may be done now has waited."""
        return max(0.0, (timezone.now() - self.since).total_seconds()) if self.since else 0.0

    @property
    def is_late(self) -> bool:
        return self.lag > LATE_SECONDS

    @property
    def is_silent(self) -> bool:
        return self.silence is None or self.silence > SILENT_SECONDS


def queue() -> Queue:
    """Count the jobs: those that are open, and those that died, each by an index of its own."""
    due = Q(state=Job.State.DUE)
    found = Job.objects.open().exclude(key="periodic")
    counts = found.aggregate(
        due=Count("pk", filter=due),
        running=Count("pk", filter=Q(state=Job.State.RUNNING)),
        held_up=Count("pk", filter=due & Q(last_error_code__in=PROVIDER)),
        since=Min("not_before", filter=due & Q(not_before__lte=timezone.now())),
    )
    dead = Job.objects.dead().exclude(key="periodic").count()
    return Queue(**counts, dead=dead, silence=seconds_since_last())


def backlog(agents: list[UUID]) -> dict[str, int]:
    """Count what waits for a vector, by what it is, each up to a thousand."""
    mine = Q(owner__agent__in=agents)
    stale = Q(space=None) | ~Q(space__state=EmbeddingSpace.State.CURRENT)
    waiting: dict[str, QuerySet] = {
        "passages of sessions": Chunk.objects.waiting_for_a_vector().filter(mine),
        "documents": KnowledgeDocument.objects.waiting_for_a_vector().filter(mine),
        "context documents": ContextDocument.objects.pending().filter(mine),
        "facts": Fact.objects.active().filter(mine & stale),
    }
    return {what: found[:MOST_WAITING].count() for what, found in waiting.items()}


def dead_jobs() -> list[Job]:
    return list(Job.objects.dead().order_by("-pk")[:SHOWN])


def oldest_due() -> Job | None:
    """Return the job that has waited longest for its turn."""
    due = Job.objects.filter(state=Job.State.DUE, not_before__lte=timezone.now())
    return due.exclude(key="periodic").order_by("not_before", "pk").first()


def set_aside(agents: list[UUID]) -> list[ContextEvent]:
    """Return the observations that no round could work in, the newest of them."""
    found = ContextEvent.objects.filter(owner__agent__in=agents, processed=False)
    rows = found.exclude(set_aside_at=None).select_related("owner__agent").defer("content")
    return list(rows.order_by("-pk")[:SHOWN])


def waiting_changes(agents: Collection[UUID]) -> int:
    """Count the changes that wait for somebody's decision, up to a thousand."""
    found = ChangeItem.objects.filter(state=ChangeItem.State.WAITING)
    return found.filter(changeset__owner__agent__in=agents)[:MOST_WAITING].count()

"""How the work stands: what waits, what died, what no vector finds yet, and who is alive."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Min, Q
from django.utils import timezone

from consolidation.heartbeat import SILENT_SECONDS, seconds_since_last
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
    """Count the jobs in one statement."""
    now = Q(state=Job.State.DUE, not_before__lte=timezone.now())
    found = Job.objects.filter(state__in=("due", "running", "dead")).exclude(key="periodic")
    counts: Mapping[str, int] = found.aggregate(
        due=Count("pk", filter=Q(state="due")),
        running=Count("pk", filter=Q(state="running")),
        dead=Count("pk", filter=Q(state="dead")),
        held_up=Count("pk", filter=Q(state="due", last_error_code__in=PROVIDER)),
    )
    since = found.filter(now).aggregate(since=Min("not_before"))["since"]
    return Queue(**counts, since=since, silence=seconds_since_last())


def backlog(agents: list[UUID]) -> dict[str, int]:
    """Count what waits for a vector, by what it is."""
    mine = Q(owner__agent__in=agents)
    stale = Q(space=None) | ~Q(space__state=EmbeddingSpace.State.CURRENT)
    return {
        "passages of sessions": Chunk.objects.waiting_for_a_vector().filter(mine).count(),
        "documents": KnowledgeDocument.objects.waiting_for_a_vector().filter(mine).count(),
        "context documents": ContextDocument.objects.pending().filter(mine).count(),
        "facts": Fact.objects.active().filter(mine & stale).count(),
    }


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

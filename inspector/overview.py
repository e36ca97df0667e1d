"""What a person may see, with the counts that pages show."""

from dataclasses import dataclass

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from consolidation.heartbeat import seconds_since_last
from consolidation.models import Job
from memory.models import Chunk, Event, Session


@dataclass(frozen=True, slots=True)
class Work:
    """How the background work stands. `silence` is in seconds, None before the first sign of life."""

    waiting: int
    running: int
    dead: int
    without_vector: int
    silence: float | None

    @property
    def is_silent(self) -> bool:
        return self.silence is None or self.silence > 60


def visible_sessions(person: User) -> QuerySet[Session]:
    """Return the sessions a person may see: their own; staff, those of their organization.

    A superuser without an organization sees all of them.
    """
    sessions = Session.objects.select_related("owner__agent")
    if person.is_superuser and person.organization_id is None:
        return sessions
    if person.is_staff:
        return sessions.filter(owner__agent__organization=person.organization)
    return sessions.filter(owner__user=person)


def with_counts(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Add `event_count` and `chunk_count`, each counted by the index of its own table."""
    events = Event.objects.filter(session=OuterRef("pk")).order_by().values("session")
    chunks = Chunk.objects.filter(session=OuterRef("pk")).order_by().values("session")
    return sessions.annotate(
        event_count=Coalesce(Subquery(events.annotate(n=Count("pk")).values("n")), 0),
        chunk_count=Coalesce(Subquery(chunks.annotate(n=Count("pk")).values("n")), 0),
    )


def work() -> Work:
    states = dict(
        Job.objects.filter(state__in=("due", "running", "dead"))
        .exclude(key="periodic")
        .values_list("state")
        .annotate(n=Count("pk"))
    )
    return Work(
        waiting=states.get("due", 0),
        running=states.get("running", 0),
        dead=states.get("dead", 0),
        without_vector=Chunk.objects.waiting_for_a_vector().count(),
        silence=seconds_since_last(),
    )

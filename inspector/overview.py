"""What a person may see, with the counts that pages show."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from consolidation.heartbeat import SILENT_SECONDS, seconds_since_last
from consolidation.models import Job
from inspector.whose import visible_owners
from memory.messages import text_of
from memory.models import Chunk, Event, Session

# A page shows 25 events, and one event may hold a megabyte.
SHOWN_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class Work:
    """How the background work stands. `silence` is in seconds, None before the first sign of life."""

    due: int
    running: int
    dead: int
    without_vector: int
    silence: float | None

    @property
    def is_silent(self) -> bool:
        return self.silence is None or self.silence > SILENT_SECONDS


@dataclass(frozen=True, slots=True)
class Line:
    """An event as a page shows it: its words apart from the tools it calls."""

    event: Event

    @property
    def text(self) -> str:
        return self._words()[:SHOWN_CHARACTERS]

    @property
    def left_out(self) -> int:
        return max(0, len(self._words()) - SHOWN_CHARACTERS)

    def _words(self) -> str:
        return text_of({"content": self.event.content.get("content")})


def visible_sessions(person: User) -> QuerySet[Session]:
    """Return the sessions of the owners whose memory a person may see."""
    sessions = Session.objects.select_related("owner__agent")
    if person.is_superuser and person.organization_id is None:
        return sessions
    owners = visible_owners(person).order_by().values_list("pk", flat=True)
    # A person is few owners, and with their ids the database knows how many sessions they have.
    return sessions.filter(owner__in=owners if person.is_staff else list(owners))


def named(sessions: QuerySet[Session], words: str) -> QuerySet[Session]:
    """Keep those with the words in the name, the owner or the agent, or with this very id."""
    words = words.replace("\0", "").strip()  # PostgreSQL refuses the zero byte in a text
    if not words:
        return sessions
    wanted = Q(external_id__icontains=words) | Q(owner__key__icontains=words)
    wanted |= Q(owner__agent__slug__icontains=words)
    with suppress(ValueError):
        wanted |= Q(pk=UUID(words))
    return sessions.filter(wanted)


def with_counts(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Add `event_count` and `chunk_count`, each counted by the index of its own table."""
    events = Event.objects.filter(session=OuterRef("pk")).order_by().values("session")
    chunks = Chunk.objects.filter(session=OuterRef("pk")).order_by().values("session")
    return sessions.annotate(
        event_count=Coalesce(Subquery(events.annotate(n=Count("pk")).values("n")), 0),
        chunk_count=Coalesce(Subquery(chunks.annotate(n=Count("pk")).values("n")), 0),
    )


def work_for(person: User) -> Work | None:
    """Count the work of the whole installation; None for those who do not run it."""
    if not person.is_staff:
        return None
    states = dict(
        Job.objects.filter(state__in=("due", "running", "dead"))
        .exclude(key="periodic")
        .values_list("state")
        .annotate(n=Count("pk"))
    )
    return Work(
        due=states.get("due", 0),
        running=states.get("running", 0),
        dead=states.get("dead", 0),
        without_vector=Chunk.objects.waiting_for_a_vector().count(),
        silence=seconds_since_last(),
    )

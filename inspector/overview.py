"""What a person may see, with the counts that pages show."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import PARTS_OF_OWNER, Agent, Owner, User
from accounts.parts import may_hold
from consolidation.jobs.heartbeat import SILENT_SECONDS, seconds_since_last
from consolidation.models import Job
from inspector.whose import visible_owners
from memory.messages import text_of
from memory.models import Chunk, Event, Session
from memory.models.session import PARTS_OF_SESSION

# A page shows 25 events, and one event may hold a megabyte.
SHOWN_CHARACTERS = 4000
# So many owners are named to the database one by one.
FEW = 50


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
class EventLine:
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


def called(owners: QuerySet[Owner], words: str) -> QuerySet[Owner]:
    """Keep those with the words in their key or in their agent's name."""
    if not words:
        return owners
    return owners.filter(_key_has(owners, words) | Q(agent__in=_agents(words)))


def named(sessions: QuerySet[Session], words: str) -> QuerySet[Session]:
    """Keep those with the words in the name, the owner or the agent, or with this very id."""
    words = asked_for(words)
    if not words:
        return sessions
    # Each table is asked by an index of its own: a condition over several is asked of every row.
    wanted = may_hold(sessions, PARTS_OF_SESSION, words.split()) & Q(external_id__icontains=words)
    owners = Owner.objects.filter(_key_has(Owner.objects.all(), words)).order_by()
    few = list(owners.values_list("pk", flat=True)[:FEW])
    wanted |= Q(owner__in=few if len(few) < FEW else owners.values("pk"))
    wanted |= Q(owner__agent__in=_agents(words))
    with suppress(ValueError):
        wanted |= Q(pk=UUID(words))
    return sessions.filter(wanted)


def asked_for(words: str) -> str:
    """Return the words without what PostgreSQL refuses in a text: the zero byte."""
    return words.replace("\0", "").strip()


def _key_has(owners: QuerySet[Owner], words: str) -> Q:
    return may_hold(owners, PARTS_OF_OWNER, words.split()) & Q(key__icontains=words)


def _agents(words: str) -> list[UUID]:
    """Return the agents with the words in their name; an installation has few."""
    return list(Agent.objects.filter(slug__icontains=words).values_list("pk", flat=True))


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

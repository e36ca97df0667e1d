"""What the address of a page asks for: days, an agent, a place in a list."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet

from accounts.models import Agent, User
from inspector.console.door import visible_agents

RANGES, DAYS, MOST_DAYS = ("7", "30", "90"), 30, 366
ROWS = 25


@dataclass(frozen=True, slots=True)
class DateRange:
    """Days in UTC, both included; `agents` are those whose rows count.

    `is_all` says that there are no others: then nobody has to ask of each row whose it is.
    """

    first: date
    last: date
    agent: str
    known: Sequence[Agent]
    is_all: bool

    @property
    def agents(self) -> list[UUID]:
        return [one.pk for one in self.known if self.agent in {"", str(one.pk)}]

    def of(self, path: str) -> Q:
        """Return what keeps the rows of these agents, by the way from a row to its agent."""
        return Q() if self.is_all else Q(**{f"{path}__in": self.agents})

    @property
    def days(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]

    @property
    def begins(self) -> datetime:
        return datetime.combine(self.first, datetime.min.time(), UTC)

    @property
    def ends(self) -> datetime:
        """The midnight after the last day."""
        return datetime.combine(self.last + timedelta(days=1), datetime.min.time(), UTC)

    @property
    def ids(self) -> tuple[UUID, UUID]:
        """Where the ids of these days begin and end: an id begins with its time."""
        return _first_id(self.begins), _first_id(self.ends)


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a list, and where the next begin; no list is ever counted."""

    rows: Sequence[Model]
    next: str


def asked_of(person: User, query: Mapping[str, str]) -> DateRange:
    """Read days and agent; what makes no sense is the last thirty days of all agents."""
    known = list(visible_agents(person))
    last = _day(query.get("to", "")) or datetime.now(UTC).date()
    days = int(query["days"]) if query.get("days") in RANGES else DAYS
    first = _day(query.get("from", "")) or last - timedelta(days=days - 1)
    if not timedelta(0) <= last - first < timedelta(days=MOST_DAYS):
        first = last - timedelta(days=DAYS - 1)
    ids = {str(one.pk) for one in known}
    agent = query.get("agent", "")
    agent = agent if agent in ids else ""
    has_others = Agent.objects.exclude(pk__in=ids).exists()
    return DateRange(first, last, agent, known, is_all=not agent and not has_others)


def rows_of(found: QuerySet, before: str) -> Rows:
    """Return the newest rows, or those before an id."""
    if before:
        # Whatever the address says, a list begins somewhere.
        with suppress(ValueError, ValidationError):
            found = found.filter(pk__lt=before)
    rows = list(found.order_by("-pk")[: ROWS + 1])
    return Rows(rows[:ROWS], str(rows[ROWS - 1].pk) if len(rows) > ROWS else "")


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if date(2000, 1, 1) <= found <= date(9000, 1, 1) else None


def _first_id(when: datetime) -> UUID:
    return UUID(int=int(when.timestamp() * 1000) << 80)

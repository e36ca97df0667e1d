"""Which of the names that a model gives exist."""

from collections.abc import Collection
from uuid import UUID

from accounts.models import Agent
from accounts.owners import scope_of
from memory.hashing import reference
from memory.models import Event, Session


def events_of(session: Session) -> frozenset[str]:
    """Return the references of a session's events, of both lanes."""
    hashes = Event.objects.filter(session=session).values_list("hash", flat=True)
    return frozenset(reference(bytes(found)) for found in hashes.iterator())


def sessions_of(agent: Agent, names: Collection[str]) -> frozenset[str]:
    """Return which of some names are ids of the agent's sessions."""
    mine = Session.objects.within(scope_of(agent)).filter(pk__in=[*filter(None, map(_id, names))])
    return frozenset(str(pk) for pk in mine.values_list("pk", flat=True))


def _id(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None

"""Which of the names that a model gives exist."""

import re
from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.models import Agent
from accounts.owners import scope_of
from memory.hashing import reference
from memory.models import Event, Session

REFERENCE = re.compile(r"ev-([0-9a-f]{32})")
HASH_BYTES = 32


def events_named(session: Session, names: Collection[str]) -> frozenset[str]:
    """Return which of some names are references of events: this session's, or its owner's others."""
    mine = Event.objects.filter(session=session)
    known = _among(mine, names)
    others = Event.objects.filter(owner=session.owner_id).exclude(session=session)
    return known | (_among(others, missing) if (missing := {*names} - known) else frozenset())


def _among(events: QuerySet[Event], names: Collection[str]) -> frozenset[str]:
    ranges = Q()
    for name in names:
        if named := REFERENCE.fullmatch(name):
            start = bytes.fromhex(named[1])
            ranges |= Q(hash__gte=start, hash__lte=start.ljust(HASH_BYTES, b"\xff"))
    hashes = events.filter(ranges).values_list("hash", flat=True) if ranges else ()
    return frozenset(reference(bytes(one)) for one in hashes)


def sessions_of(agent: Agent, names: Collection[str]) -> frozenset[str]:
    """Return which of some names are ids of the agent's sessions."""
    mine = Session.objects.within(scope_of(agent)).filter(pk__in=[*filter(None, map(_id, names))])
    return frozenset(str(pk) for pk in mine.values_list("pk", flat=True))


def _id(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None

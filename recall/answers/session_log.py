"""Look into a session's own log: by keywords, by the hash of an event, or as a whole."""

import re
from collections.abc import Iterator
from uuid import UUID

from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import Agent, Owner
from accounts.owners import scope_of
from memory.messages import text_of
from memory.models import Event, Session
from ranking.tokens import fold
from recall.errors import EventUnknown, SessionUnknown

REFERENCE = re.compile(r"ev-([0-9a-f]{32})")
HASH_BYTES = 32
# More words than anyone looks for at once; each one is looked for in every event.
MOST_KEYWORDS = 16


def find_by_keyword(*, session: Session, query: str, limit: int) -> list[Event]:
    """Return the newest events, of both lanes, whose text holds every word of the query."""
    words = query.split()[:MOST_KEYWORDS]
    if not words:
        return []
    found: list[Event] = []
    for event in _with_words(session, words):
        text = fold(text_of(event.content))
        if all(fold(word) in text for word in words):
            found.append(event)
        if len(found) == limit:
            break
    return found


def find_by_hash(*, session: Session, hash: str) -> Event:
    """Return the event of this reference. Raises EventUnknown."""
    named = REFERENCE.fullmatch(hash.strip().lower())
    found = None
    if named:
        prefix = bytes.fromhex(named[1])
        last = prefix.ljust(HASH_BYTES, b"\xff")
        mine = Event.objects.audible().filter(session=session)
        found = mine.filter(hash__gte=prefix, hash__lte=last).first()
    if found is None:
        raise EventUnknown("the session has no such event")
    return found


def read_session(
    *, agent: Agent, owner: Owner | None, session: UUID, limit: int, after: UUID | None = None
) -> tuple[list[Event], UUID | None]:
    """Return a session's events in the order of their commit, and what to go on after.

    The second value is None at the end. Only the owner's sessions are read. Raises SessionUnknown,
    or EventUnknown for an `after` that is not the session's.
    """
    scope = scope_of(agent, owner=owner.pk if owner else None)
    found = Session.objects.within(scope).filter(pk=session).first() if owner else None
    if found is None:
        raise SessionUnknown("no such session")
    events = Event.objects.audible().filter(session=found)
    if after is not None:
        last = events.filter(pk=after).first()
        if last is None:
            raise EventUnknown("the session has no such event")
        events = events.committed_after(last)
    rows = list(events.as_committed()[: limit + 1])
    return rows[:limit], rows[limit - 1].pk if len(rows) > limit else None


def _with_words(session: Session, words: list[str]) -> Iterator[Event]:
    """Yield events that may hold the words: what is stored also holds names of fields, and escapes."""
    mine = Event.objects.audible().filter(session=session, payload__isnull=False)
    events = mine.annotate(stored=Cast("payload", TextField()))
    for word in words:
        if word.isalnum():
            events = events.filter(stored__icontains=word)
    return events.as_committed().reverse().iterator(chunk_size=200)

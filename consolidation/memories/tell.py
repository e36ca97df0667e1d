"""Store a conversation to be learned from, and wait for that."""

import hashlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.models import Agent
from consolidation.intake.accept import accept_events, accept_transcript
from consolidation.learning.request import is_learning
from memory.messages import Draft
from memory.models import Session
from memory.sessions import open_session

LONGEST_WAIT = 30.0
PAUSE = 0.2
# Each wait holds one of a web process's threads: the others answer meanwhile.
WAITS_AT_ONCE = threading.BoundedSemaphore(2)


@dataclass(frozen=True, slots=True)
class ToldMemories:
    """The session that a conversation was stored in, and its events."""

    session: Session
    events: Sequence[UUID]
    is_repeated: bool


def add_messages(
    *,
    agent: Agent,
    user: str,
    session: Session | None,
    drafts: Sequence[Draft],
    key: str | None = None,
) -> ToldMemories:
    """Store a conversation: in an open session, or as one of its own that ends with it.

    Raises what accept_events and open_session raise.
    """
    if session is not None:
        events, repeated = accept_events(agent=agent, session=session, drafts=drafts, key=key)
        return ToldMemories(session, [event.pk for event in events], repeated)
    with transaction.atomic():
        own = _session_of(agent, user, key)
        events, repeated = accept_transcript(agent=agent, session=own, drafts=drafts, key=key)
    return ToldMemories(own, [event.pk for event in events], repeated)


def _session_of(agent: Agent, user: str, key: str | None) -> Session:
    """Return a new session for a conversation, or the one of the first request with this key."""
    if key is None:
        return open_session(agent=agent, user=user).session
    name = f"memories:{hashlib.sha256(key.encode()).hexdigest()}"
    first = Session.objects.filter(owner__agent=agent, owner__key=user, external_id=name)
    known = first.select_related("owner__agent").first()
    return known or open_session(agent=agent, user=user, external_id=name).session


def wait_until_learned(*, session: Session, seconds: float) -> bool:
    """Wait until a session has been learned from, and say whether it has; no transaction is open.

    It answers at once when `seconds` is 0, or when enough others wait already.
    """
    ends_at = time.monotonic() + min(seconds, LONGEST_WAIT)
    if not seconds or not WAITS_AT_ONCE.acquire(blocking=False):
        return _is_learned(session)
    try:
        while not (is_done := _is_learned(session)) and time.monotonic() < ends_at:
            time.sleep(PAUSE)
        return is_done
    finally:
        WAITS_AT_ONCE.release()


def _is_learned(session: Session) -> bool:
    session.refresh_from_db(fields=["state"])
    return session.state != Session.State.CLOSING and not is_learning(session)

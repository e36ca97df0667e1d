"""The one door to the picture of a user: every observation waits here for the MemoryProcessor."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.idempotency import fingerprint, once
from accounts.models import Connection, Owner
from consolidation.errors import CategoryUnknown, ObservationUnfit, ProfileOff
from consolidation.models import ContextEvent
from consolidation.profile.request import request_synthesis
from knowledge.models.profile import Channel
from memory.hashing import canonical
from memory.models import Session
from memory.redaction import redacted

LONGEST = 4_000
Type = ContextEvent.Type
# What may be said of an observation; the other types are made from a tool's arguments.
CATEGORIES = frozenset({Type.FACT, Type.PREFERENCE, Type.PROJECT_DETAILS, Type.CORRECTION})


@dataclass(frozen=True, slots=True)
class Observed:
    """What somebody says of a user, and where it was said."""

    category: str
    content: str
    session: Session | None = None
    connection: Connection | None = None
    observed_at: datetime | None = None


def observe(
    *,
    owner: Owner,
    event_type: str,
    content: str,
    source: str,
    session: Session | UUID | None = None,
    connection: Connection | UUID | None = None,
    observed_at: datetime | None = None,
    key: str | None = None,
    item: str = "",
    message: str = "",
) -> ContextEvent:
    """Write an observation, in the caller's transaction; nothing of the user's picture changes yet.

    Of one `key` there is one: a repetition returns the first. `item` is the id of the inbox item it
    was found in, `message` the reference of the event. Secrets go before anything is written. Raises ProfileOff or ObservationUnfit.
    """
    if not owner.agent.keeps_profile:
        raise ProfileOff(f"agent {owner.agent.slug} keeps no profile")
    found = ContextEvent(
        owner=owner,
        organization_id=owner.agent.organization_id,
        event_type=Type(event_type),
        content=_fit(content),
        source_metadata=_metadata(source, session, connection, item)
        | ({"message_id": message} if message else {}),
        observed_at=observed_at or timezone.now(),
        key=key or "",
    )
    ContextEvent.objects.bulk_create([found], ignore_conflicts=bool(key))
    if key:
        first = ContextEvent.objects.get(owner=owner, key=key)
        if first.pk != found.pk:
            return first
    _nudge(owner)
    return found


def record_observation(
    *, owner: Owner, observed: Observed, source: str = Channel.INTERACTIVE, key: str | None = None
) -> tuple[ContextEvent, bool]:
    """Write what a model or a client has noticed; the second value is true for a repetition of `key`.

    Raises CategoryUnknown, ProfileOff, ObservationUnfit or IdempotencyConflict.
    """
    if observed.category not in CATEGORIES:
        raise CategoryUnknown("there is no such category of observation")

    def write() -> list[UUID]:
        made = observe(
            owner=owner,
            event_type=observed.category,
            content=observed.content,
            source=source,
            session=observed.session,
            connection=observed.connection,
            observed_at=observed.observed_at,
        )
        return [made.pk]

    with transaction.atomic():
        request = _fingerprint(owner, observed, source)
        (made,), is_repeated = once(agent=owner.agent, key=key, request=request, write=write)
        return ContextEvent.objects.get(owner=owner, pk=made), is_repeated


def _fit(content: str) -> str:
    if not content.strip() or len(content) > LONGEST or "\0" in content:
        raise ObservationUnfit(f"an observation is a text of 1 to {LONGEST} characters")
    # A placeholder may be longer than what it stands for.
    return redacted(content)[:LONGEST]


def _metadata(
    source: str, session: Session | UUID | None, connection: Connection | UUID | None, item: str
) -> dict[str, str]:
    found = {"source": Channel(source).value}
    if session:
        found["session_id"] = _id(session)
    if connection:
        found["connection_id"] = _id(connection)
    return found | ({"item_id": item} if item else {})


def _id(row: Session | Connection | UUID) -> str:
    return str(row if isinstance(row, UUID) else row.pk)


def _nudge(owner: Owner) -> None:
    """Have it worked in at once where the agent wants that; otherwise the next round finds it."""
    if owner.agent.synthesises_at_once:
        request_synthesis(owner.pk)


def _fingerprint(owner: Owner, observed: Observed, source: str) -> bytes:
    said = observed.observed_at.isoformat() if observed.observed_at else None
    place = [_id(row) if row else None for row in (observed.session, observed.connection)]
    parts = [owner.pk, source, observed.category, observed.content, said, *place]
    return fingerprint(b"observation", canonical(parts))

"""What a model changes of a user's picture by one call: each part of it an observation of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from accounts.idempotency import fingerprint, once
from accounts.models import Owner
from consolidation.models import ContextEvent
from consolidation.observations.record import observe
from memory.hashing import canonical
from memory.models import Session

Type = ContextEvent.Type


@dataclass(frozen=True, slots=True)
class UserContext:
    """New values of the scaffold's keys, and facts to be added as they are."""

    scaffold_updates: Mapping[str, object] = field(default_factory=dict)
    persistent_info_additions: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ChangeOrigin:
    """Where a change was found: in a session, or in an inbox item.

    `key` makes a repetition write once.
    """

    source: str
    session: Session | None = None
    item: str = ""
    key: str | None = None
    observed_at: datetime | None = None


def update_user_context(
    *, owner: Owner, update: UserContext, found: ChangeOrigin
) -> list[ContextEvent]:
    """Write the observations, all or none, in the caller's transaction.

    Raises ProfileOff or ObservationUnfit.
    """
    parts = [
        *((Type.SCAFFOLD_UPDATE, _pair(*pair)) for pair in update.scaffold_updates.items()),
        *((Type.LEARNED_FACT, text) for text in update.persistent_info_additions),
    ]
    with transaction.atomic():
        return [
            observe(
                owner=owner,
                event_type=kind,
                content=content,
                source=found.source,
                session=found.session,
                observed_at=found.observed_at,
                item=found.item,
                key=f"{found.key}:{place}" if found.key else None,
            )
            for place, (kind, content) in enumerate(parts)
        ]


def request_update(
    *, owner: Owner, update: UserContext, found: ChangeOrigin, key: str | None
) -> list[ContextEvent]:
    """Write the observations once per `key` of a request. Raises IdempotencyConflict besides."""
    said = [update.scaffold_updates, list(update.persistent_info_additions), found.source]
    request = fingerprint(b"user context", canonical([owner.pk, *said]))
    with transaction.atomic():
        ids, _ = once(
            agent=owner.agent,
            key=key,
            request=request,
            write=lambda: [
                event.pk for event in update_user_context(owner=owner, update=update, found=found)
            ],
        )
        written = ContextEvent.objects.filter(owner=owner).in_bulk(ids)
    return [written[id] for id in ids]


def _pair(key: str, value: object) -> str:
    return canonical({key: value}).decode()

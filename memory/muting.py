"""Lines of the log that no prompt says again, and their return."""

from collections.abc import Collection
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, UUIDField, Value
from django.db.models.functions import Coalesce

from accounts.models import Owner
from memory.models import Chunk, Event

UUIDS: ArrayField = ArrayField(UUIDField())


def mute(*, owner: Owner, by: UUID, events: Collection[UUID], chunks: Collection[UUID]) -> None:
    """Keep events and chunks of an owner out of all prompts, in the caller's transaction.

    `by` is the act that asks for it. What several acts mute is said again once all are taken back.
    """
    known = Coalesce(F("muted_by"), _none())
    muted = Func(known, Value(by, UUIDField()), function="array_append", output_field=UUIDS)
    Event.objects.filter(owner=owner, pk__in=events).update(muted_by=muted)
    Chunk.objects.filter(owner=owner, pk__in=chunks).update(muted_by=muted)


def unmute(*, owner: Owner, by: UUID, events: Collection[UUID], chunks: Collection[UUID]) -> None:
    """Take one act of muting back, in the caller's transaction."""
    rest = Func(F("muted_by"), Value(by, UUIDField()), function="array_remove", output_field=UUIDS)
    left = Func(rest, _none(), function="nullif", output_field=UUIDS)
    Event.objects.filter(owner=owner, pk__in=events).update(muted_by=left)
    Chunk.objects.filter(owner=owner, pk__in=chunks).update(muted_by=left)


def _none() -> Value:
    return Value(list[UUID](), output_field=UUIDS)

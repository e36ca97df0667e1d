"""The events that should come: named by results or by themselves, and what is left of them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from accounts.owners import scope_of
from memory.messages import text_of
from memory.models import Chunk, Event
from memory.models.event import EventQuerySet
from recall.models import GoldenQuestion


def events_of(owner: Owner, ids: Sequence[UUID]) -> Mapping[UUID, Sequence[UUID]]:
    """Return, by each id of a result or an event, the events that it stands for.

    What was erased or forgotten is left out, and so is an id that is of neither.
    """
    scope = scope_of(owner.agent, owner=owner.pk)
    said = Event.objects.within(scope).audible().filter(payload__isnull=False)
    found = {pk: [pk] for pk in said.filter(pk__in=ids).values_list("pk", flat=True)}
    chunks = list(
        Chunk.objects.within(scope)
        .filter(pk__in=ids, muted_by=None)
        .only("session_id", "lane", "first_seq", "last_seq")
    )
    by_chunk = _events_by_chunk(said, chunks)
    return {one: known for one in ids if (known := found.get(one) or by_chunk.get(one))}


def said_of(questions: Collection[GoldenQuestion]) -> Mapping[int, Mapping[UUID, str]]:
    """Return by owner and event the words that are left of what should come, in one query for all."""
    ids = {event for one in questions for event in one.expected}
    owners = {one.owner_id for one in questions}
    rows = Event.objects.audible().filter(owner__in=owners, pk__in=ids, payload__isnull=False)
    found = defaultdict[int, dict[UUID, str]](dict)
    for event in rows.only("owner_id", "payload"):
        found[event.owner_id][event.pk] = text_of(event.content)
    return found


def _events_by_chunk(said: EventQuerySet, chunks: Iterable[Chunk]) -> Mapping[UUID, Sequence[UUID]]:
    places = [
        Q(session_id=one.session_id, lane=one.lane, seq__range=(one.first_seq, one.last_seq))
        for one in chunks
    ]
    if not places:
        return {}
    rows = said.filter(reduce(or_, places)).order_by("seq")
    known = list(rows.values_list("pk", "session_id", "lane", "seq"))
    return {
        chunk.pk: [
            pk
            for pk, session, lane, seq in known
            if (session, lane) == (chunk.session_id, chunk.lane)
            and chunk.first_seq <= seq <= chunk.last_seq
        ]
        for chunk in chunks
    }

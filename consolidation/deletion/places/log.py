"""Where a thing that is to be forgotten is told besides: lines of the log, and what sums them up."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from accounts.models import Owner
from consolidation.deletion.matcher import Telling, may_tell, tells
from consolidation.deletion.places.cuts import Cut, find_cuts
from memory.messages import call_ids, text_of
from memory.models import Chunk, Event

# A preview that shows more is not read.
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Echoes:
    """Events and chunks that no prompt is to show any more, and what is cut out of summaries.

    `lines` are the words of the first of the events.
    """

    events: Sequence[UUID]
    chunks: Sequence[UUID]
    lines: Sequence[str]
    cuts: Sequence[Cut]


def echoes_of(owner: Owner, tellings: Sequence[Telling], sessions: Collection[UUID] = ()) -> Echoes:
    """Return what tells any of these, and all that was said in whole sessions."""
    chunks = dict(_chunks(owner, tellings))
    events = list(_events(owner, tellings, {*chunks.values()}))
    of_sessions = Q(owner=owner, session__in=sessions)
    groups = _groups(owner, events)
    whole = Event.objects.filter(of_sessions, payload__isnull=False).values_list("pk", flat=True)
    cut = Chunk.objects.filter(of_sessions).values_list("pk", flat=True)
    return Echoes(
        events=list(dict.fromkeys((*(event.pk for event in events), *groups, *whole))),
        chunks=list(dict.fromkeys((*chunks, *cut))),
        lines=list(dict.fromkeys(text_of(event.content) for event in events))[:MOST_SHOWN],
        cuts=find_cuts(owner, tellings, sessions),
    )


def _chunks(owner: Owner, tellings: Sequence[Telling]) -> Iterator[tuple[UUID, UUID]]:
    """Yield the chunks that tell, each with its session."""
    found = Chunk.objects.filter(may_tell("text", tellings), owner=owner)
    for pk, session, text in found.values_list("pk", "session", "text").iterator():
        if tells(text, tellings):
            yield pk, session


def _events(
    owner: Owner, tellings: Sequence[Telling], sessions: Collection[UUID]
) -> Iterator[Event]:
    """Yield the events that tell: of these sessions, and of those that have no chunks yet."""
    said = Event.objects.annotate(said=Cast("payload", TextField())).filter(
        Q(session__in=sessions) | Q(session__number=None), may_tell("said", tellings), owner=owner
    )
    wanted = ("payload", "owner", "session", "type", "tool_call_id")
    for event in said.only(*wanted).order_by("pk").iterator():
        if tells(text_of(event.content), tellings):
            yield event


def _groups(owner: Owner, events: Sequence[Event]) -> list[UUID]:
    """Return what belongs to tools among these: no chat API takes a call without its results."""
    calls = {id for event in events for id in call_ids(event.content)}
    answered = {event.tool_call_id for event in events if event.type == Event.Type.TOOL_RESULT}
    if not calls | answered:
        return []
    mine = Event.objects.filter(owner=owner, session__in={event.session_id for event in events})
    asks = reduce(
        or_, (Q(payload__tool_calls__contains=[{"id": id}]) for id in answered), Q(pk=None)
    )
    made = list(mine.filter(asks, type=Event.Type.MODEL_OUTPUT).only("payload"))
    calls |= {id for event in made for id in call_ids(event.content)}
    results = mine.filter(type=Event.Type.TOOL_RESULT, tool_call_id__in=calls)
    return [*(event.pk for event in made), *results.values_list("pk", flat=True)]

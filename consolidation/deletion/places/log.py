"""The lines of the log that tell what is deleted, and their passages: they stay, and are muted."""

from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from accounts.models import Owner
from consolidation.deletion.matcher import matches, may_match
from consolidation.deletion.trace import Deletion, Finding, Trace
from memory.messages import call_ids, text_of
from memory.models import Chunk, Event


def _find_events(deletion: Deletion) -> list[Finding]:
    """Return the events that tell, with what they say; then what goes with them."""
    owner = deletion.owner
    chunks = _telling_chunks(deletion)
    events = list(_telling_events(deletion, {*chunks.values()}))
    whole = Event.objects.filter(
        owner=owner, session__in=deletion.sessions, payload__isnull=False
    ).values_list("pk", flat=True)
    texts = {event.pk: text_of(event.content) for event in events}
    ids = dict.fromkeys((*texts, *_groups(owner, events), *whole))
    return [{"id": pk, "text": texts.get(pk, "")} for pk in ids]


def _find_chunks(deletion: Deletion) -> list[Finding]:
    whole = Chunk.objects.filter(owner=deletion.owner, session__in=deletion.sessions)
    ids = dict.fromkeys((*_telling_chunks(deletion), *whole.values_list("pk", flat=True)))
    return [{"id": pk} for pk in ids]


def _telling_chunks(deletion: Deletion) -> dict[UUID, UUID]:
    """Return the chunks that tell, each with its session."""
    may = Chunk.objects.filter(may_match("text", deletion.matchers), owner=deletion.owner)
    return {
        pk: session
        for pk, session, text in may.values_list("pk", "session", "text").iterator()
        if matches(text, deletion.matchers)
    }


def _telling_events(deletion: Deletion, sessions: Collection[UUID]) -> Iterator[Event]:
    """Yield the events that tell: of these sessions, and of those that have no chunks yet."""
    may = Event.objects.annotate(said=Cast("payload", TextField())).filter(
        Q(session__in=sessions) | Q(session__number=None),
        may_match("said", deletion.matchers),
        owner=deletion.owner,
    )
    wanted = ("payload", "owner", "session", "type", "tool_call_id")
    for event in may.only(*wanted).order_by("pk").iterator():
        if matches(text_of(event.content), deletion.matchers):
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


def _text(entry: Finding) -> str:
    return str(entry["text"])


# What the act itself keeps, and mutes: it is no less muted once its words are gone for good.
EVENTS = Trace("events", _find_events, words=_text, is_kept=False)
CHUNKS = Trace("chunks", _find_chunks, is_kept=False)

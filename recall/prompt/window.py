"""The newest events of a lane as messages, in whole groups, within a budget."""

from collections.abc import Sequence
from copy import copy

from memory.budget import estimate_message
from memory.messages import message_of, text_of
from memory.models import Event
from memory.redaction import redacted
from memory.windows import COMMAND, Group, grouped, is_complete, total
from recall.prompt.view import latest_words, running_job, shown

Message = dict[str, object]
CUT = " … [cut to fit]"
SPOKEN = (Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT)


def groups(events: Sequence[Event]) -> list[Group]:
    """Part events into groups that stay together: a tool call and the results that answer it.

    Results whose call is not among the events are left out: no chat API takes them alone. So are
    the running job's briefing, which has a place of its own, and what was an order to us.
    """
    apart = {event.seq for event in running_job(events)}
    rows = (one for one in map(shown, events) if one.seq not in apart)
    wanted = [one for one in rows if one.type != COMMAND]
    return [group for group in grouped(wanted) if group[0].type != Event.Type.TOOL_RESULT]


def fit_groups(found: Sequence[Group], budget: int) -> list[int]:
    """Return the numbers of the events that fit `budget` tokens, in the prompt's order.

    The user's latest words are in, whatever they cost; of the rest the newest groups. Groups after
    those words that do not fit are passed over; before them the first one that does not fit ends
    the view. A call that waits for a result is left out unless it is the last word.
    """
    latest = next((g for g in reversed(found) if g[0].type == Event.Type.USER_MSG), None)
    left = budget - (total(latest) if latest else 0)
    kept: list[Group] = []
    is_older = latest is None
    for place, group in enumerate(reversed(found)):
        if group is latest:
            is_older = True
            kept.append(group)
            continue
        if place and not is_complete(group):
            continue
        cost = total(group)
        if cost > left and is_older:
            break
        if cost <= left:
            kept.append(group)
            left -= cost
    return [one.seq for group in reversed(kept) for one in group]


def fitting(events: Sequence[Event], room: int) -> list[Event]:
    """Return the events of the prompt: the window as far as it fits `room`, then the running job.

    What is never left out is in, beside what `room` is for.
    """
    by_seq = {event.seq: event for event in events}
    latest = sum(event.tokens for event in latest_words(events))
    found = groups(events)
    # The model asked for these results and has not read them yet: without them it would ask again.
    awaited = [by_seq[one.seq] for one in found[-1]] if found and len(found[-1]) > 1 else []
    last = squeezed(awaited, room) if sum(map(_tokens, awaited)) > room else []
    left = room - sum(map(_tokens, last)) + latest
    kept = fit_groups(found[:-1] if last else found, left)
    return [*(by_seq[seq] for seq in kept), *last, *running_job(events)]


def squeezed(group: Sequence[Event], room: int) -> list[Event]:
    """Return a call with its results cut so that they fit `room` together; empty when nothing would.

    The smallest results stay whole, and the log keeps them all.
    """
    results = sorted((e for e in group if e.type == Event.Type.TOOL_RESULT), key=_tokens)
    left = room - sum(e.tokens for e in group if e.type != Event.Type.TOOL_RESULT)
    cut: dict[int, Event] = {}
    for place, event in enumerate(results):
        share = left // (len(results) - place)
        cut[event.seq] = event if event.tokens <= share else _cut(event, share)
        left -= cut[event.seq].tokens
    return [cut.get(event.seq, event) for event in group] if left >= 0 else []


def _tokens(event: Event) -> int:
    return event.tokens


def _cut(event: Event, tokens: int) -> Event:
    text, short = text_of(event.content), copy(event)
    length = len(text) * max(tokens, 0) // event.tokens
    while True:
        kept = text[:length] + CUT
        short.payload = {**event.content, "content": kept}
        short.tokens = estimate_message(kept)
        if short.tokens <= tokens or not length:
            return short
        length = length * 9 // 10


def messages(events: Sequence[Event], asked: Event | None) -> list[Message]:
    """Return events as messages; what was said before the message that is asked about has no secrets."""
    return [
        _without_secrets(event)
        if event.type in SPOKEN and asked and event.seq < asked.seq
        else _as_it_is(event)
        for event in events
    ]


def _as_it_is(event: Event) -> Message:
    return message_of(event.type, event.content, event.tool_call_id)


def _without_secrets(event: Event) -> Message:
    message, content = _as_it_is(event), event.content.get("content")
    return {**message, "content": redacted(content)} if isinstance(content, str) else message

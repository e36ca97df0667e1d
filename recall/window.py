"""The newest events of a lane as messages, in whole groups, within a budget."""

from collections.abc import Sequence

from memory.messages import call_ids, message_of
from memory.models import Event, Session

Message = dict[str, object]


def newest_events(session: Session, lane: str, limit: int) -> list[Event]:
    """Return the last events of a lane, oldest first, as far back as their groups reach."""
    events = Event.objects.filter(session=session, lane=lane, payload__isnull=False)
    newest = list(events.order_by("-seq")[:limit])
    newest.reverse()
    return newest


def groups(events: Sequence[Event]) -> list[list[Event]]:
    """Part events into groups that stay together: a tool call and the results that answer it.

    Results whose call is not among the events are left out: no chat API takes them alone.
    """
    found: list[list[Event]] = []
    for event in events:
        if event.type != Event.Type.TOOL_RESULT:
            found.append([event])
        elif found and event.tool_call_id in call_ids(found[-1][0].content):
            found[-1].append(event)
    return found


def fit_groups(found: Sequence[list[Event]], budget: int) -> tuple[list[Event], int]:
    """Keep the newest groups that fit `budget` tokens; the newest user's words in any case.

    Returns the events, oldest first, and their tokens. A call that waits for a result is left out
    unless it is the last word.
    """
    kept: list[list[Event]] = []
    spent, has_user = 0, False
    for place, group in enumerate(reversed(found)):
        if place and not _is_complete(group):
            continue
        cost = sum(event.tokens for event in group)
        is_latest_user = not has_user and group[0].type == Event.Type.USER_MSG
        if spent + cost > budget and not is_latest_user:
            if has_user:
                break
            continue
        has_user = has_user or is_latest_user
        kept.append(group)
        spent += cost
    return [event for group in reversed(kept) for event in group], spent


def messages(events: Sequence[Event]) -> list[Message]:
    return [message_of(event.type, event.content, event.tool_call_id) for event in events]


def _is_complete(group: Sequence[Event]) -> bool:
    return call_ids(group[0].content) <= {event.tool_call_id for event in group[1:]}

"""The newest events of a lane as messages, in whole groups, within a budget."""

from collections.abc import Iterable, Sequence

from memory.messages import message_of
from memory.models import Event
from memory.windows import Group, grouped, is_complete, total
from recall.view import shown

Message = dict[str, object]


def groups(events: Sequence[Event]) -> list[Group]:
    """Part events into groups that stay together: a tool call and the results that answer it.

    Results whose call is not among the events are left out: no chat API takes them alone. So are
    job briefings, which have a place of their own.
    """
    wanted = [shown(event) for event in events if event.type != Event.Type.CORE_JOB_START]
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


def messages(events: Iterable[Event]) -> list[Message]:
    return [message_of(event.type, event.content, event.tool_call_id) for event in events]

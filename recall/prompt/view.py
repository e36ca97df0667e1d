"""A lane as its next prompt shows it, and how much of the model's context that takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Case, F, Max, Min, Q, QuerySet, Value, When

from accounts.identity import fixed_texts
from knowledge.workspace.injection import load_shown
from memory.messages import COMMAND_PATTERN, call_ids, is_command
from memory.models import Event, LaneWindow, Session
from memory.windows import COMMAND, USER, LaneMeasure, ViewEvent
from recall.prompt.account import (
    limit_of,
    prompt_budget,
    summary_room,
    text_tokens,
    tool_tokens,
)
from recall.prompt.summary import replayed
from recall.prompt.tools import offered_tools

IS_COMMAND = When(
    type=Event.Type.USER_MSG, payload__content__regex=COMMAND_PATTERN, then=Value(COMMAND)
)


@dataclass(frozen=True, slots=True)
class LaneView:
    """What a prompt is made of: the fixed texts, MEMORY.md, the summary, the events.

    `unread` are the stretches of the view before the events read, as first and last numbers.
    """

    session: Session
    window: LaneWindow
    fixed: list[str]
    memory: str
    summary: str
    events: list[Event]
    unread: Sequence[tuple[int, int]] = ()


def load_view(session: Session, lane: str, *, most: int | None = None) -> LaneView:
    """Read a lane; `most` bounds the events to the newest and what no prompt leaves out; None is all.

    The session's owner, agent and organization must be loaded.
    """
    window = _window(session, lane)
    agent = session.owner.agent
    files = load_shown(session.owner)
    fixed = fixed_texts(agent, lane, files.identity)
    summary = replayed(session, window) if window.pk else ""
    events = _events(window, most)
    unread = _unread(window, events) if most is not None and len(events) >= most else []
    return LaneView(session, window, fixed, files.memory, summary, events, unread)


def _window(session: Session, lane: str) -> LaneWindow:
    """Return a lane's window; an empty one for a session that is only thought of."""
    if session._state.adding:  # noqa: SLF001 - Django documents it
        return LaneWindow(session=session, lane=lane)
    return LaneWindow.objects.get(session=session, lane=lane)


def shown(event: Event) -> ViewEvent:
    """Return what folding and fitting need of an event."""
    kind = COMMAND if is_command(event.type, event.content) else event.type
    return ViewEvent(event.seq, kind, event.tokens, call_ids(event.content), event.tool_call_id)


def measure(session: Session, window: LaneWindow) -> LaneMeasure:
    """Return what a lane shows in numbers; no text is read but the ids of tool calls.

    The session's owner, agent and organization must be loaded.
    """
    agent = session.owner.agent
    texts = fixed_texts(agent, window.lane, load_shown(session.owner).identity)
    limit = limit_of(agent.context_tokens, window.prompt_limit)
    tools = offered_tools(agent, window.lane, budget=window.prompt_limit or agent.context_tokens)
    fixed = text_tokens(texts) + tool_tokens(tools)
    budget = prompt_budget(agent.context_tokens, window.prompt_limit, window.calibration)
    summary = min(window.summary_tokens, summary_room(budget - fixed))
    rows = _rows(window).annotate(kind=Case(IS_COMMAND, default=F("type"))).order_by("seq")
    columns = ("seq", "kind", "tokens", "payload__tool_calls", "tool_call_id")
    return LaneMeasure(
        shown=[
            ViewEvent(seq, kind, tokens, call_ids({"tool_calls": calls}), answers)
            for seq, kind, tokens, calls, answers in rows.values_list(*columns)
        ],
        start_seq=window.start_seq,
        last_seq=window.last_seq,
        limit=limit,
        fixed=fixed + summary + window.memory_tokens,
        calibration=window.calibration,
        most_events=agent.window_events,
        share=agent.compact_share,
        budget=budget,
    )


def latest_words(events: Sequence[Event]) -> list[Event]:
    """Return the user's latest message as a list of one, or none."""
    users = (event for event in reversed(events) if shown(event).type == USER)
    return [*users][:1]


def running_job(events: Sequence[Event]) -> list[Event]:
    """Return the newest briefing as a list of one, or none: with it those before it have ended."""
    return [event for event in events if event.type == Event.Type.CORE_JOB_START][-1:]


def _events(window: LaneWindow, most: int | None) -> list[Event]:
    newest = list(_rows(window).order_by("-seq")[:most])[::-1]
    if most is None or len(newest) < most:
        return newest
    return [*_never_left_out(window, newest), *newest]


def _never_left_out(window: LaneWindow, newest: Sequence[Event]) -> list[Event]:
    """Return what every prompt holds, however much came after: the job, and the user's latest words."""
    older = _rows(window).filter(seq__lt=newest[0].seq)
    found: list[Event] = []
    if not running_job(newest):
        found += older.filter(type=Event.Type.CORE_JOB_START).order_by("-seq")[:1]
    if not any(shown(event).type == USER for event in newest):
        spoken = older.annotate(kind=Case(IS_COMMAND, default=F("type"))).filter(kind=USER)
        found += spoken.order_by("-seq")[:1]
    return sorted(found, key=lambda event: event.seq)


def _unread(window: LaneWindow, events: Sequence[Event]) -> list[tuple[int, int]]:
    """Return what of the view is older than the events read, those that stand alone left out."""
    read = {event.seq for event in events}
    older = _rows(window).filter(seq__lt=max(read)).exclude(seq__in=read)
    ends = older.aggregate(first=Min("seq"), last=Max("seq"))
    return [(ends["first"], ends["last"])] if ends["first"] is not None else []


def _rows(window: LaneWindow) -> QuerySet[Event]:
    return Event.objects.audible().filter(
        Q(seq__gte=window.start_seq) | Q(seq__in=window.kept),
        session_id=window.session_id,
        lane=window.lane,
        payload__isnull=False,
    )

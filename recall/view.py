"""A lane as its next prompt shows it, and how much of the model's context that takes."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from accounts.identity import fixed_texts
from memory.budget import estimate_message
from memory.messages import call_ids
from memory.models import Event, LaneWindow, Session
from memory.windows import Shown, View
from recall.replay import replayed


@dataclass(frozen=True, slots=True)
class LaneView:
    """What a prompt is made of: the fixed texts, the summary of what was folded, the events."""

    session: Session
    window: LaneWindow
    fixed: list[str]
    summary: str
    events: list[Event]

    def measured(self) -> View:
        """Return the view in numbers."""
        texts = [*self.fixed, self.summary] if self.summary else self.fixed
        return View(
            shown=[shown(event) for event in self.events],
            start_seq=self.window.start_seq,
            last_seq=self.window.last_seq,
            limit=self.session.owner.agent.context_tokens,
            fixed=sum(estimate_message(text) for text in texts),
            calibration=self.window.calibration,
        )


def load_view(session: Session, lane: str, *, most: int | None = None) -> LaneView:
    """Read a lane; `most` bounds the events to the newest, None reads all that are shown.

    The session's owner, agent and organization must be loaded.
    """
    window = LaneWindow.objects.get(session=session, lane=lane)
    agent = session.owner.agent
    fixed = fixed_texts(agent, lane)
    return LaneView(session, window, fixed, replayed(session, window), _events(window, most))


def shown(event: Event) -> Shown:
    """Return what folding and fitting need of an event."""
    calls = call_ids(event.content)
    return Shown(event.seq, event.type, event.tokens, calls, event.tool_call_id)


def _events(window: LaneWindow, most: int | None) -> list[Event]:
    events: Iterable[Event] = Event.objects.filter(
        Q(seq__gte=window.start_seq) | Q(seq__in=window.kept),
        session_id=window.session_id,
        lane=window.lane,
        payload__isnull=False,
    ).order_by("-seq")[:most]
    return list(events)[::-1]

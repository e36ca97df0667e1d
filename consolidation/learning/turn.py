"""Messages of the user, with what was said before them, as a model is shown them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from consolidation.lines import PIECE_CHARACTERS, lines_of
from memory.models import Event, Session
from memory.models.window import Lane
from providers.chat import Line

# How many earlier messages of the user, with their answers, are shown beside the current one.
CONTEXT_TURNS = 6
# What tools gave is left out: it is not the user's to teach.
SPOKEN = (Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT)
MOST_EVENTS = 60
USER = "user"


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user said under `seq`, without secrets, and what was said to them just before."""

    seq: int
    ref: str
    text: str
    at: datetime
    answers: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """`lines` come oldest first, without secrets; `messages` are those of them to learn from.

    The last line is the last of the messages.
    """

    session: Session
    lines: Sequence[Line]
    messages: Sequence[UserMessage]

    @property
    def seq(self) -> int:
        return self.messages[0].seq

    @property
    def last_seq(self) -> int:
        return self.messages[-1].seq

    @property
    def ref(self) -> str:
        return self.messages[-1].ref

    @property
    def said(self) -> str:
        return self.lines[-1].text

    @property
    def run_key(self) -> str:
        """The turn's own name among the changes of its owner."""
        span = f"{self.seq}-{self.last_seq}" if len(self.messages) > 1 else str(self.seq)
        return f"turn:{self.session.pk}:{span}"


def key_of(session: Session, first: int, last: int) -> str:
    """Return a job's key: `<session>:<seq>` of one message, `<session>:<first>-<last>` of several."""
    return f"{session.pk}:{first}-{last}" if last > first else f"{session.pk}:{first}"


def range_of(key: str) -> tuple[str, int, int]:
    """Return the session, the first and the last message that a job's key names."""
    session, span = key.split(":")
    first, _, last = span.partition("-")
    return session, int(first), int(last or first)


def load_turn(key: str) -> Turn | None:
    """Return the turn that a job's key names; None when it is gone or was erased."""
    session_id, first, last = range_of(key)
    sessions = Session.objects.select_related("owner__agent__organization")
    session = sessions.filter(pk=session_id).first()
    if session is None:
        return None
    mine = Event.objects.audible().filter(session=session, lane=Lane.EDGE)
    spoken = mine.filter(type__in=SPOKEN, payload__isnull=False)
    new = list(spoken.filter(seq__range=(first, last)).order_by("-seq"))
    while new and new[0].type != Event.Type.USER_MSG:
        new.pop(0)
    if not new:
        return None
    before = list(spoken.filter(seq__lt=first).order_by("-seq")[:MOST_EVENTS])
    return _turn(session, new, before)


def _turn(session: Session, new: Sequence[Event], before: Sequence[Event]) -> Turn:
    """Return the turn of events, given newest first."""
    events = [*new, *_earlier(before)]
    by_ref = {event.reference: event for event in events}
    own = {event.reference for event in new if event.type == Event.Type.USER_MSG}
    lines = _within(lines_of(events, session.owner.agent), len(new))
    shown = [replace(line, is_new=line.ref in own) for line in reversed(lines)]
    return Turn(session, shown, _messages(shown, by_ref))


def _messages(lines: Sequence[Line], events: dict[str, Event]) -> list[UserMessage]:
    found, before = list[UserMessage](), ""
    for line in lines:
        if line.is_new:
            event = events[line.ref]
            found.append(UserMessage(event.seq, line.ref, line.text, event.occurred_at, before))
        before = line.text if line.role != USER else ""
    return found


def _earlier(newest_first: Sequence[Event]) -> Sequence[Event]:
    """Return what came before, from a message of the user on."""
    is_users = [event.type == Event.Type.USER_MSG for event in newest_first]
    said = [place for place, users in enumerate(is_users) if users][:CONTEXT_TURNS]
    return newest_first[: said[-1] + 1] if said else []


def _within(newest_first: Sequence[Line], new: int) -> list[Line]:
    """Keep the newest lines that a model is shown at a time, and all that are new."""
    found: list[Line] = []
    room = PIECE_CHARACTERS
    for line in newest_first:
        room -= len(line.text)
        if room < 0 and len(found) >= new:
            break
        found.append(line)
    return found

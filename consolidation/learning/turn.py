"""A message of the user, with what was said before it, as the lanes are shown it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from consolidation.lines import PIECE_CHARACTERS, lines_of
from memory.models import Event, Session
from memory.models.window import Lane
from memory.redaction import redacted
from providers.chat import Line
from providers.quoting import visible

# How many earlier messages of the user, with their answers, are shown beside the current one.
CONTEXT_TURNS = 6
# What tools gave is left out: it is not the user's to teach.
SPOKEN = (Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT)
MOST_EVENTS = 60


@dataclass(frozen=True, slots=True)
class Turn:
    """`lines` come oldest first, without secrets; the last is what the user said under `seq`."""

    session: Session
    seq: int
    ref: str
    lines: Sequence[Line]

    @property
    def said(self) -> str:
        return self.lines[-1].text


def load_turn(key: str) -> Turn | None:
    """Return the turn that a job's key names; None when it is gone or was erased."""
    session_id, seq = key.split(":")
    sessions = Session.objects.select_related("owner__agent__organization")
    session = sessions.filter(pk=session_id).first()
    if session is None:
        return None
    mine = Event.objects.audible().filter(session=session, lane=Lane.EDGE)
    spoken = mine.filter(type__in=SPOKEN)
    upto = spoken.filter(payload__isnull=False, seq__lte=int(seq)).order_by("-seq")
    events = list(upto[:MOST_EVENTS])
    if not events or events[0].seq != int(seq):
        return None
    return Turn(session, int(seq), events[0].reference, _lines(events))


def _lines(newest_first: Sequence[Event]) -> list[Line]:
    """Return the current message and the turns before it, each from what the user said."""
    is_users = [event.type == Event.Type.USER_MSG for event in newest_first]
    said = [place for place, users in enumerate(is_users) if users]
    last = said[: CONTEXT_TURNS + 1][-1]
    return _within(lines_of(newest_first[: last + 1]))[::-1]


def _within(newest_first: Sequence[Line]) -> list[Line]:
    """Keep the newest lines that are no more than a model is shown at a time, without secrets."""
    found: list[Line] = []
    room = PIECE_CHARACTERS
    for line in newest_first:
        room -= len(line.text)
        if room < 0 and found:
            break
        found.append(replace(line, text=redacted(visible(line.text))))
    return found

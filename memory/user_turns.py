"""What the user said in a session."""

from dataclasses import dataclass
from datetime import datetime

from memory.messages import text_of
from memory.models import Event, Session
from memory.models.window import Lane


@dataclass(frozen=True, slots=True)
class UserTurn:
    """One message of the user; `seq` is its number in the lane in which people are spoken with."""

    seq: int
    ref: str
    text: str
    at: datetime


def user_turns(session: Session) -> list[UserTurn]:
    """Return the user's turns in order; what was erased or muted is none."""
    mine = Event.objects.audible().filter(session=session, lane=Lane.EDGE)
    said = mine.filter(type=Event.Type.USER_MSG)
    return [
        UserTurn(event.seq, event.reference, text_of(event.content), event.occurred_at)
        for event in said.filter(payload__isnull=False).order_by("seq")
    ]

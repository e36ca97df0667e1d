"""The conversation as the page shows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from consolidation.chat.ephemeral import OFFLINE
from consolidation.chat.offline import offline_replies
from inspector.overview import SHOWN_CHARACTERS
from memory.messages import text_of
from memory.models import Event, Session
from memory.models.window import Lane
from memory.rooms import RoomEvent
from recall.models import Receipt
from recall.prompt.assembly import LONGEST

MOST = 50
USER, MODEL = Event.Type.USER_MSG.value, Event.Type.MODEL_OUTPUT.value


@dataclass(slots=True)
class PlaygroundTurn:
    """Something that was said. `offline` are the words of the rules where no model answered."""

    seq: int
    is_user: bool
    text: str
    is_erased: bool = False
    is_answered: bool = False
    offline: str = ""

    @property
    def shown(self) -> str:
        return self.text[:SHOWN_CHARACTERS]

    @property
    def left_out(self) -> int:
        return max(0, len(self.text) - SHOWN_CHARACTERS)


def conversation(session: Session, *, is_offline: bool) -> list[PlaygroundTurn]:
    """Return what was said last; what rules answered is said again from the receipts."""
    rows = Event.objects.filter(session=session, lane=Lane.EDGE, type__in=(USER, MODEL))
    latest = list(rows.order_by("-seq").defer("salt", "commitment", "prev_hash")[:MOST])
    words = _answered(
        PlaygroundTurn(
            one.seq, one.type == USER, text_of(one.content), is_erased=one.payload is None
        )
        for one in reversed(latest)
    )
    if is_offline:
        _fill_in(session, [one for one in words if one.is_user and not one.is_answered])
    return words


def unkept(said: Sequence[RoomEvent], *, is_offline: bool) -> list[PlaygroundTurn]:
    """Return what an incognito session holds."""
    spoken = [one for one in said if one.type in {USER, MODEL}][-MOST:]
    words = _answered(
        PlaygroundTurn(one.seq, one.type == USER, text_of(one.payload)) for one in spoken
    )
    for one in words:
        if is_offline and one.is_user and not one.is_answered:
            one.offline = OFFLINE
    return words


def _answered(said: Iterable[PlaygroundTurn]) -> list[PlaygroundTurn]:
    found = list(said)
    for one, after in pairwise(found):
        one.is_answered = one.is_user and not after.is_user
    return found


def _fill_in(session: Session, asked: Sequence[PlaygroundTurn]) -> None:
    """Find each question's own receipt, the newest first: both come in the order of what was said."""
    if not asked:
        return
    rows = Receipt.objects.filter(session=session, kind=Receipt.Kind.CONTEXT).order_by("-pk")
    receipts = list(rows.only("query", "items")[:MOST])
    replies = offline_replies(session.owner, receipts)
    place = 0
    for one in reversed(asked):
        for number in range(place, len(receipts)):
            if receipts[number].query == one.text[:LONGEST]:
                one.offline = replies[receipts[number].pk]
                place = number + 1
                break

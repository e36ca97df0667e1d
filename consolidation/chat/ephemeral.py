"""A turn of an incognito session: nothing is looked up for it, and nothing of it is stored."""

from uuid import UUID

from accounts.models import Agent
from consolidation.chat.answer import PartialAnswer, draft_from
from consolidation.chat.asking import PaidTurn, request_for
from consolidation.chat.offline import LABEL, MODEL
from consolidation.chat.prompt import NOTHING_REMEMBERED
from consolidation.chat.reply import ChatReply, answered, is_offline
from memory.incognito import ask_rooms, rooms
from memory.messages import draft_of
from memory.models.window import Lane
from memory.rooms import RoomEvent
from recall.prompt.incognito import assemble_bare

OFFLINE = f"{LABEL}, and in an incognito session nothing is looked up."


def said_in(*, agent: Agent, room: UUID) -> list[RoomEvent]:
    """Return what was said. Raises RoomMissing, ModeUnavailable or IncognitoGone."""
    store = rooms()
    return ask_rooms(lambda: store.said(agent.pk, room, Lane.EDGE.value))


def say_unkept(*, agent: Agent, room: UUID, text: str) -> ChatReply:
    """Have a user's words answered from the agent's own texts and what the session said before.

    Raises as `say` does, or what the rooms say: RoomMissing, SessionClosed, IncognitoFull …
    """
    store, draft = rooms(), draft_of({"role": "user", "content": text})
    ask_rooms(lambda: store.append(agent.pk, room, [draft], None, b""))
    if is_offline():
        return ChatReply(OFFLINE, MODEL)
    prompt = assemble_bare(agent=agent, said=said_in(agent=agent, room=room), lane=Lane.EDGE.value)
    sent = request_for(prompt.messages, NOTHING_REMEMBERED)

    def keep_it(gathered: PartialAnswer) -> None:
        answer = draft_from(gathered)
        if answer is not None:
            ask_rooms(lambda: store.append(agent.pk, room, [answer], None, b""))

    return ChatReply(answered(PaidTurn(sent, keep_it)), str(sent["model"]))

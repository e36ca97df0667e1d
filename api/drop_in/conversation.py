"""What of a request is new: chat clients send the whole conversation with every turn."""

from collections.abc import Sequence

from django.db import transaction

from accounts.models import Agent
from api.drop_in.asked import Chat
from consolidation.intake.accept import accept_events
from memory.hashing import canonical
from memory.messages import Draft
from memory.models import Event, Session
from memory.models.window import Lane
from memory.sessions import open_session

# Beyond the length of what was sent, and so many events more, a message is taken for a new one.
LOOKED_AT_BESIDE = 2_000


def take_in(*, agent: Agent, chat: Chat) -> Session:
    """Open the conversation's session and append what it does not hold yet, once."""
    session = open_session(agent=agent, user=chat.user, external_id=chat.conversation).session
    session.owner.agent = agent
    with transaction.atomic():
        # Two requests at once of one conversation: the second sees what the first has stored.
        Session.objects.select_for_update().get(pk=session.pk)
        drafts = chat.drafts
        fresh = new_ones(_known(session, len(drafts) + LOOKED_AT_BESIDE), drafts)
        if fresh:
            accept_events(agent=agent, session=session, drafts=fresh)
    return session


def new_ones(known: Sequence[bytes], drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without a place in what is known, each known one used once and in order."""
    fresh, place = [], 0
    for draft in drafts:
        mark = _mark(draft.type, draft.payload, draft.tool_call_id)
        try:
            place = known.index(mark, place) + 1
        except ValueError:
            fresh.append(draft)
    return fresh


def _known(session: Session, most: int) -> list[bytes]:
    """Return what the conversation holds, in order; an earlier session of the same name counts too."""
    rows = Event.objects.filter(
        owner=session.owner_id, session__external_id=session.external_id, lane=Lane.EDGE
    )
    latest = rows.order_by("-session_id", "-seq").values_list("type", "payload", "tool_call_id")
    return [_mark(*row) for row in reversed(latest[:most])]


def _mark(kind: str, payload: object, tool_call_id: str) -> bytes:
    kept = dict(payload) if isinstance(payload, dict) else {}
    if kept.get("tool_calls") and not kept.get("content"):
        # Clients send an answer without words as null, as "" or not at all.
        kept.pop("content", None)
    return canonical([kind, kept, tool_call_id])

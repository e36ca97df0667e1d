"""What was said in sessions that are not cut into passages yet, found by its words."""

from accounts.models import Owner
from accounts.owners import scope_of
from memory.messages import text_of
from memory.models import Event, Session
from memory.models.window import Lane
from ranking.hybrid import Comparable, rank
from recall.memories.memory import Memory, of_event

SPOKEN = (Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT)
# More sessions are not open at once, and more lines are found once the session has ended.
MOST_SESSIONS = 20
MOST_EVENTS = 200


def search_recent(*, owner: Owner, query: str, limit: int) -> list[Memory]:
    """Return lines of the newest sessions without passages that answer a query, best first."""
    scope = scope_of(owner.agent, owner=owner.pk)
    sessions = Session.objects.within(scope).exclude(state=Session.State.CLOSED)
    uncut = sessions.filter(chunks=None).order_by("-pk")
    newest = list(uncut.values_list("pk", flat=True)[:MOST_SESSIONS])
    spoken = Event.objects.within(scope).audible().filter(session__in=newest, lane=Lane.EDGE)
    events = list(spoken.filter(type__in=SPOKEN).order_by("-pk")[:MOST_EVENTS])
    texts = [text_of(event.content) for event in events]
    ranked = rank(query, [Comparable(text, text) for text in texts], limit=limit)
    return [of_event(events[place]) for place, _ in ranked]

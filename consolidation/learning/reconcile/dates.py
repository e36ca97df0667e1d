"""When it was said what facts were learned from: who said it last, not who was learned from last."""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q

from memory.models import Event
from memory.models.window import Lane

# A session, and the number of the user's message in the lane in which people are spoken with.
Place = tuple[UUID, int]


def when_said(places: Collection[Place]) -> Mapping[Place, datetime]:
    """Return when the messages were said, by the client's word; those that are not there are left out."""
    if not places:
        return {}
    wanted = reduce(or_, (Q(session=session, seq=seq) for session, seq in places))
    said = Event.objects.filter(wanted, lane=Lane.EDGE)
    rows = said.values_list("session", "seq", "occurred_at")
    return {(session, seq): at for session, seq, at in rows}

"""A line of a conversation that a link leads to, such as `edge-12`."""

import re

from django.db.models import Q

from inspector.paging import ROWS
from memory.models import Event, Session

NAMED = re.compile(r"(edge|core)-([1-9][0-9]{0,8})", re.ASCII)
Place = tuple[str, int]


def line_asked(text: str) -> Place | None:
    """Return the lane and the number of a line; None for what names none."""
    found = NAMED.fullmatch(text)
    return (found[1], int(found[2])) if found else None


def page_of_line(session: Session, wanted: Place | None) -> str | None:
    """Return the page of the log on which a line stands; None for none."""
    if wanted is None:
        return None
    lane, seq = wanted
    before = Q(lane__lt=lane) | Q(lane=lane, seq__lt=seq)
    return str(Event.objects.filter(before, session=session).count() // ROWS + 1)

"""The summary of a whole session, for whoever looks for it later."""

import time

from django.conf import settings
from django.db.models import Q

from consolidation import prompts
from consolidation.lines import lines_of, pieces
from memory.models import Event, LaneWindow, Session
from providers.errors import ProviderUnavailable
from providers.registry import chat_model
from recall.prompt.summary import replayed


def summarise(session: Session) -> str:
    """Return the session's summary, from what was folded and what is still shown; empty for nothing.

    The model has the configured seconds for all of it. Raises ProviderFault.
    """
    model, ends, text = chat_model(), time.monotonic() + settings.SUMMARY_SECONDS, ""
    for window in LaneWindow.objects.filter(session=session).order_by("-lane"):
        text = "\n\n".join(part for part in (text, replayed(session, window)) if part)
        for piece in pieces(lines_of(_shown(window))):
            left = ends - time.monotonic()
            if left <= 0:
                raise ProviderUnavailable("the summary took too long")
            text = model.complete(prompts.session_summary(piece, text), seconds=left).value.summary
    return text


def _shown(window: LaneWindow) -> list[Event]:
    is_shown = Q(seq__gte=window.start_seq) | Q(seq__in=window.kept)
    events = Event.objects.audible().filter(is_shown, session=window.session_id, lane=window.lane)
    return list(events.filter(payload__isnull=False).order_by("seq"))

"""The summary of a whole session, for whoever looks for it later."""

import time
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q

from consolidation import prompts
from consolidation.lines import lines_of, pieces
from memory.models import Event, LaneWindow, Session
from providers.errors import ProviderFault, ProviderUnavailable
from providers.registry import chat_model
from recall.prompt.summary import replayed

# How many times the seconds of an end a summary may take that is filled in afterwards.
LATER = 20


@dataclass(frozen=True, slots=True)
class Written:
    """A session's summary as far as it came, and why it came no further; empty for a whole one."""

    text: str = ""
    code: str = ""


def summarise(session: Session) -> Written:
    """Return the session's summary, from what was folded and what is still shown.

    The model has the configured seconds for all of it, so that an end waits for no provider; many
    times as long once the session is closed and nobody waits. What it did not get to is left out:
    the summary of what was folded is there without it.
    """
    seconds = settings.SUMMARY_SECONDS * (1 if session.state != Session.State.CLOSED else LATER)
    ends, text = time.monotonic() + seconds, ""
    try:
        model = chat_model()
        for window in LaneWindow.objects.filter(session=session).order_by("-lane"):
            text = "\n\n".join(part for part in (text, replayed(session, window)) if part)
            for piece in pieces(lines_of(_shown(window), session.owner.agent)):
                left = ends - time.monotonic()
                if left <= 0:
                    raise ProviderUnavailable("the summary took too long")
                task = prompts.session_summary(piece, text)
                text = model.complete(task, seconds=left).value.summary
    except ProviderFault as error:
        return Written(text, error.code)
    return Written(text)


def _shown(window: LaneWindow) -> list[Event]:
    is_shown = Q(seq__gte=window.start_seq) | Q(seq__in=window.kept)
    events = Event.objects.audible().filter(is_shown, session=window.session_id, lane=window.lane)
    return list(events.filter(payload__isnull=False).order_by("seq"))

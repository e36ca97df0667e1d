"""Conversations that are folded, and what is seen of them."""

from consolidation.compaction.request import request_compaction
from consolidation.intake.accept import accept_events
from consolidation.models import CompactionRun
from memory.models import CompactMarker, Event, LaneWindow
from tests.factories import run_jobs, said

STRATEGIES = ("reference_summary", "summarize_tail", "archive")


def talk(agent, session, turns, start=0):
    for place in range(start, start + turns):
        drafts = [
            said(f"My favourite dish number {place} is pasta with {place} olives, as I told you."),
            said(f"Noted, dish {place}.", "assistant"),
        ]
        accept_events(agent=agent, session=session, drafts=drafts)


def compact(session, lane="edge", trigger="api"):
    outcome = request_compaction(session=session, lane=lane, trigger=trigger)
    run_jobs()
    return outcome


def run_of(session):
    return CompactionRun.objects.filter(session=session).latest("pk")


def shown(session):
    """Return the numbers of the events that a prompt may show."""
    window = LaneWindow.objects.get(session=session, lane="edge")
    rest = range(window.start_seq, window.last_seq + 1)
    return [*window.kept, *rest]


def archived(session):
    markers = CompactMarker.objects.filter(session=session, lane="edge")
    return [seq for marker in markers for seq in marker.folded]


def everything(session):
    return sorted(Event.objects.filter(session=session, lane="edge").values_list("seq", flat=True))

"""What stands in a prompt for the events that have left a lane's view."""

from dataclasses import dataclass

from knowledge.notes.store import find_entry
from memory.models import CompactMarker, LaneWindow, Session
from memory.summaries import read_summary, render_summary
from memory.tokenizer import count, count_message
from recall.prompt.blocks.envelope import render_summary as enclosed


def replayed(session: Session, window: LaneWindow) -> str:
    """Return the reference summary, or the archive that the latest marker names; empty before any.

    An archive that is gone is named in a placeholder: the reader sees that something is missing.
    """
    if session.strategy == Session.Strategy.REFERENCE_SUMMARY:
        return render_summary(read_summary(window))
    marker = CompactMarker.objects.filter(session=session, lane=window.lane).last()
    if marker is None:
        return ""
    archive = find_entry(owner=session.owner, name=marker.archive_name)
    return archive.content if archive else f"[The archive {marker.archive_name} is missing.]"


@dataclass(frozen=True, slots=True)
class FittedSummary:
    """A summary as a prompt shows it, empty for none, and how many tokens of it had no room."""

    text: str = ""
    cut: int = 0


def fit_summary(text: str, room: int) -> FittedSummary:
    """Return the summary in its envelope; what does not fit `room` tokens goes from its oldest end."""
    rendered, whole = enclosed(text), count(text)
    rest = text
    while rendered and count_message(rendered) > room:
        excess = count_message(rendered) - room
        rest = rest[max(len(rest) * excess // max(count(rest), 1), 1) + 1 :]
        rendered = enclosed("… " + rest) if rest else ""
    return FittedSummary(rendered, whole - count(rest))


def summary_tokens(text: str) -> int:
    """Return what a summary takes of a prompt, its envelope with it; 0 for none."""
    return count_message(enclosed(text)) if text else 0

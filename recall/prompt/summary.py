"""What stands in a prompt for the events that have left a lane's view."""

from knowledge.notes.store import find_entry
from memory.models import CompactMarker, LaneWindow, Session
from memory.summaries import read_summary, render_summary


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

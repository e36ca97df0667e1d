"""What a heartbeat keeps of a running session, and the way back to it."""

from typing import TypedDict

from django.db import transaction

from memory.budget import estimate_message
from memory.errors import NoSnapshot, SessionClosed
from memory.models import CompactMarker, LaneWindow, ReferenceSummary, Session, Snapshot
from memory.summaries import read_summary, render_summary

# Older ones are of no use: the log itself is kept whole.
KEPT = 3


class LaneState(TypedDict):
    """A lane's part of a snapshot."""

    summary: str
    facts: list[dict[str, str]]
    referenced_sessions: list[str]
    referenced_events: list[str]
    summary_version: int
    start_seq: int
    kept: list[int]
    last_seq: int


@transaction.atomic
def take_snapshot(*, session: Session, summary: str = "", is_final: bool = False) -> Snapshot:
    """Store both lanes' summaries and boundaries as they are at one moment.

    `summary` is the session's own, for the final snapshot; a second final one is the first.
    """
    if is_final and (found := Snapshot.objects.filter(session=session, is_final=True).first()):
        return found
    # A fold holds this lock while it writes: a snapshot is from before it or from after it.
    Session.objects.select_for_update(no_key=True).get(pk=session.pk)
    windows = LaneWindow.objects.filter(session=session)
    taken = Snapshot.objects.create(
        session=session,
        lanes={window.lane: _lane(window) for window in windows},
        summary=summary,
        is_final=is_final,
    )
    running = Snapshot.objects.filter(session=session, is_final=False)
    stale = running.order_by("-pk").values("pk")[KEPT:]
    Snapshot.objects.filter(pk__in=list(stale.values_list("pk", flat=True))).delete()
    return taken


@transaction.atomic
def restore_lanes(*, session: Session) -> Snapshot:
    """Put both lanes back to the latest snapshot; what was folded since is shown in full again.

    No event is touched. The version of a summary goes up all the same, so that a change made for
    the one that is replaced is refused. Where an archive stands for what was folded, the lane is
    as its markers say. Raises NoSnapshot, or SessionClosed.
    """
    locked = Session.objects.select_for_update().get(pk=session.pk)
    if not locked.is_open:
        raise SessionClosed(f"session {session.pk} has ended")
    snapshot = Snapshot.objects.filter(session=locked).order_by("pk").last()
    if snapshot is None:
        raise NoSnapshot(f"session {session.pk} has none")
    for window in LaneWindow.objects.select_for_update().filter(session=locked):
        if locked.strategy == Session.Strategy.REFERENCE_SUMMARY:
            _restore(window, snapshot.lanes[window.lane])
        else:
            _replay(window)
        window.save(update_fields=["start_seq", "kept", "summary_tokens", "flush_armed"])
    return snapshot


def _lane(window: LaneWindow) -> LaneState:
    row = _summary(window)
    return {
        "summary": row.text,
        "facts": row.facts,
        "referenced_sessions": row.referenced_sessions,
        "referenced_events": row.referenced_events,
        "summary_version": row.version,
        "start_seq": window.start_seq,
        "kept": window.kept,
        "last_seq": window.last_seq,
    }


def _summary(window: LaneWindow) -> ReferenceSummary:
    found = ReferenceSummary.objects.select_for_update(no_key=True).filter(window=window)
    return found.first() or ReferenceSummary(window=window)


def _restore(window: LaneWindow, lane: LaneState) -> None:
    window.start_seq, window.kept = lane["start_seq"], lane["kept"]
    window.flush_armed = True
    row = _summary(window)
    if row.version == 0:
        return
    row.text, row.facts = lane["summary"], lane["facts"]
    row.referenced_sessions = lane["referenced_sessions"]
    row.referenced_events = lane["referenced_events"]
    row.version += 1
    row.save()
    text = render_summary(read_summary(window))
    window.summary_tokens = estimate_message(text) if text else 0


def _replay(window: LaneWindow) -> None:
    """Show what no marker covers."""
    markers = CompactMarker.objects.filter(session=window.session_id, lane=window.lane)
    folded = {seq for marker in markers for seq in marker.folded}
    window.start_seq = max(folded, default=0) + 1
    window.kept = [seq for seq in range(1, window.start_seq) if seq not in folded]
    window.flush_armed = True

"""A lane's reference summary: read it, render it, replace it by a checked delta."""

from collections.abc import Collection

from memory.deltas import SummaryContent, SummaryDelta, SummaryFact, applied
from memory.errors import SummaryChanged
from memory.models import LaneWindow, ReferenceSummary


def read_summary(window: LaneWindow) -> SummaryContent:
    """Return the summary as a value; the empty one, version 0, before the first fold."""
    row = ReferenceSummary.objects.filter(window=window).first()
    return SummaryContent() if row is None else _value(row)


def render_summary(summary: SummaryContent) -> str:
    """Return the summary as the prompt shows it; the empty text for the empty summary.

    Facts and links carry the hashes by which a model can look their events up. A prompt with little
    room cuts it from the front: the oldest facts go first, the text last.
    """
    facts = [f"- {fact.key}: {fact.value} ({fact.source_event})" for fact in summary.facts]
    listed = "\n".join(["Facts:", *facts]) if facts else ""
    links = [
        f"{name}: {', '.join(references)}"
        for name, references in (("Events", summary.events), ("Sessions", summary.sessions))
        if references
    ]
    return "\n\n".join(part for part in (listed, "\n".join(links), summary.text) if part)


def apply_delta(
    *,
    window: LaneWindow,
    delta: SummaryDelta,
    version: int,
    sessions: Collection[str] = frozenset(),
) -> SummaryContent:
    """Replace the summary that has this version, in the caller's transaction.

    `sessions` are the ids of the agent's sessions that the delta names. Raises SummaryChanged when
    the stored version is another: a delta made for an older text is never applied.
    """
    ReferenceSummary.objects.bulk_create([ReferenceSummary(window=window)], ignore_conflicts=True)
    row = ReferenceSummary.objects.select_for_update().get(window=window)
    if row.version != version:
        raise SummaryChanged(f"the summary is at version {row.version}")
    changed = applied(_value(row), delta, sessions=sessions)
    write_summary(row, changed)
    return changed


def write_summary(row: ReferenceSummary, summary: SummaryContent) -> None:
    """Store a summary as a value in its row."""
    row.text, row.version = summary.text, summary.version
    row.facts = [
        {"key": fact.key, "value": fact.value, "source_event": fact.source_event}
        for fact in summary.facts
    ]
    row.referenced_sessions, row.referenced_events = [*summary.sessions], [*summary.events]
    row.save()


def _value(row: ReferenceSummary) -> SummaryContent:
    return SummaryContent(
        text=row.text,
        facts=tuple(SummaryFact(**fact) for fact in row.facts),
        sessions=tuple(row.referenced_sessions),
        events=tuple(row.referenced_events),
        version=row.version,
    )

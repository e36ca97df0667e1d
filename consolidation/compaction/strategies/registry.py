"""The strategies, and what a lane needs next (pure)."""

from dataclasses import dataclass

from consolidation.compaction.strategies import archive, reference_summary, summarize_tail
from consolidation.compaction.strategies.base import Strategy
from memory.windows import Fold, LaneMeasure

STRATEGIES = {
    "reference_summary": Strategy(
        due=reference_summary.due,
        asked=reference_summary.asked,
        keeps_reference_summary=True,
    ),
    "summarize_tail": Strategy(
        due=summarize_tail.due,
        asked=summarize_tail.asked,
        keeps_reference_summary=False,
    ),
    "archive": Strategy(due=archive.due, asked=archive.asked, keeps_reference_summary=False),
}
# From this share of the context on, until a fold is due, facts are saved once ahead.
FLUSH_AT = 0.6


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next with a lane; `fold` None is a flush: facts are saved, and the view stays."""

    fold: Fold | None


def next_step(
    view: LaneMeasure, strategy: str, *, is_asked: bool, flush_armed: bool
) -> Step | None:
    """Return the next step, or None when there is nothing to do."""
    chosen = STRATEGIES[strategy]
    found = chosen.asked(view) if is_asked else chosen.due(view)
    if found:
        return Step(found)
    is_flush_due = flush_armed and not is_asked and view.usage >= FLUSH_AT
    return Step(None) if is_flush_due else None

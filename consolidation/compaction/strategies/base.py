"""What a compaction strategy is (pure)."""

from collections.abc import Callable
from dataclasses import dataclass

from memory.windows import Fold, LaneMeasure


@dataclass(frozen=True, slots=True)
class Strategy:
    """When a lane is folded by itself, and what goes when someone asks.

    `due` and `asked` return None when there is nothing to fold. With `keeps_reference_summary` the
    model answers with a delta on the lane's reference summary, otherwise with a summary of its own.
    """

    due: Callable[[LaneMeasure], Fold | None]
    asked: Callable[[LaneMeasure], Fold | None]
    keeps_reference_summary: bool

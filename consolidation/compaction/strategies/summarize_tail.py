"""Leave a summary and the last four messages once the context is 70 % full (pure)."""

from memory.windows import Fold, LaneMeasure, before_tail, fold, total

COMPACT_AT = 0.7
# Where instructions and memory take so much that a few messages make 70 % full, a fold waits until it
# frees this share of the context, or until the prompt is nearly full.
WORTH = 0.2
NEARLY_FULL = 0.85


def due(view: LaneMeasure) -> Fold | None:
    if view.usage < COMPACT_AT:
        return None
    groups = before_tail(view)
    freed = view.calibration * sum(map(total, groups)) / view.limit
    return fold(view, groups) if freed >= WORTH or view.usage >= NEARLY_FULL else None


def asked(view: LaneMeasure) -> Fold | None:
    return fold(view, before_tail(view))

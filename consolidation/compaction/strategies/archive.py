"""Archive the whole history before the user's latest words, when asked and never by itself (pure)."""

from memory.windows import Fold, LaneMeasure, before_tail, fold


def due(view: LaneMeasure) -> Fold | None:
    return None


def asked(view: LaneMeasure) -> Fold | None:
    latest = view.latest_user
    tail = sum(one.seq >= latest.seq for one in view.shown) if latest else 0
    return fold(view, before_tail(view, tail))

"""Leave a summary and the last four messages once the context is 70 % full (pure)."""

from memory.windows import Fold, View, before_tail, fold

COMPACT_AT = 0.7


def due(view: View) -> Fold | None:
    return fold(view, before_tail(view)) if view.usage >= COMPACT_AT else None


def asked(view: View) -> Fold | None:
    return fold(view, before_tail(view))

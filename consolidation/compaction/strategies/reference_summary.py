"""Fold what exceeds the window's events or its share of the context into the reference summary (pure)."""

from collections.abc import Sequence

from memory.windows import TAIL, Fold, Group, LaneMeasure, before_tail, fold, oldest, total

# A fold goes on to this share of what called for it, of events and of tokens alike: one that stopped
# at the threshold would come again with the next turn, and each costs a provider's prompt cache.
LOW_WATER = 0.6
# A fold for want of room takes as many events as this, where the tail leaves so many.
LEAST_EVENTS = 20


def due(view: LaneMeasure) -> Fold | None:
    """Fold when more than the window's events are shown, or their tokens exceed what they may take."""
    is_full = view.compactable > view.most_tokens
    if not is_full and len(view.shown) <= view.most_events:
        return None
    shown = len(view.shown)
    tail = {one.seq for one in view.shown[-TAIL:]}

    def enough(left: Sequence[Group]) -> bool:
        tokens = sum(total(group) for group in left if view.may_fold(group))
        events = sum(map(len, left))
        if tokens > LOW_WATER * view.most_tokens or events > LOW_WATER * view.most_events:
            return False
        is_worth_it = not is_full or shown - events >= LEAST_EVENTS
        return is_worth_it or _is_tail(view, left, tail)

    return fold(view, oldest(view, enough))


def asked(view: LaneMeasure) -> Fold | None:
    return fold(view, before_tail(view))


def _is_tail(view: LaneMeasure, left: Sequence[Group], tail: set[int]) -> bool:
    """Say whether the next to go would be of the last messages."""
    following = next((group for group in left if view.may_fold(group)), None)
    return following is None or bool(tail & {one.seq for one in following})

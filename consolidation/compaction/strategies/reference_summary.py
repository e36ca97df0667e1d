"""Fold what exceeds the window's events or its share of the context into the reference summary (pure)."""

from collections.abc import Sequence

from memory.windows import Fold, Group, View, before_tail, fold, oldest, total

# Folding by tokens goes on to half of the threshold, so that the next turn does not fold again.
DOWN_TO = 0.5


def due(view: View) -> Fold | None:
    """Fold when more than the window's events are shown, or their tokens exceed the share."""
    most = view.share * view.room
    if view.compactable > most:
        most *= DOWN_TO
    elif len(view.shown) <= view.most_events:
        return None

    def enough(left: Sequence[Group]) -> bool:
        foldable = sum(total(group) for group in left if view.may_fold(group))
        return foldable <= most and sum(map(len, left)) <= view.most_events

    return fold(view, oldest(view, enough))


def asked(view: View) -> Fold | None:
    return fold(view, before_tail(view))

"""One bar of several blocks, as plain numbers that a template writes as SVG (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 1000.0
COLOURS = 6


@dataclass(frozen=True, slots=True)
class Segment:
    """A block of the bar. `kind` chooses its colour, None that of empty room."""

    name: str
    amount: int
    kind: int | None
    x: str
    width: str
    share: str


@dataclass(frozen=True, slots=True)
class BudgetBar:
    """Blocks side by side; `whole` is what the full width stands for."""

    segments: Sequence[Segment]
    used: int
    whole: int


def bar(blocks: Sequence[tuple[str, int]], room: int = 0) -> BudgetBar:
    """Draw blocks of some tokens in a room of so many; what they leave is a block of its own."""
    used = sum(amount for _, amount in blocks)
    whole = max(used, room)
    segments: list[Segment] = []
    x = 0.0
    for place, (name, amount) in enumerate(blocks):
        segments.append(_segment(name, amount, place % COLOURS, x, whole))
        x += WIDTH * amount / max(whole, 1)
    if whole > used:
        segments.append(_segment("Free", whole - used, None, x, whole))
    return BudgetBar(segments, used, whole)


def _segment(name: str, amount: int, kind: int | None, x: float, whole: int) -> Segment:
    share = amount / max(whole, 1)
    return Segment(name, amount, kind, f"{x:.1f}", f"{WIDTH * share:.1f}", f"{share:.1%}")

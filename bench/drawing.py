"""A picture of prompts growing and being folded, as SVG that reads on light and on dark."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, PANEL, GAP = 760, 150, 44
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 30, 48
STROKE, MUTED, FOLD = "#2f81c4", "#808890", "#d9822b"


@dataclass(frozen=True, slots=True)
class Curve:
    """The tokens of each prompt in turn, and the numbers of those after which something was folded."""

    name: str
    tokens: Sequence[int]
    folds: Sequence[int]


def draw(curves: Sequence[Curve], *, budget: int, context: int) -> str:
    """Return one panel per curve, all to the same scale."""
    height = TOP + len(curves) * (PANEL + GAP) - GAP + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{MUTED}">',
        "<title>Tokens of each prompt, by strategy</title>",
    ]
    for place, curve in enumerate(curves):
        parts += _panel(curve, TOP + place * (PANEL + GAP), budget, context)
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{height - 8}" text-anchor="middle">'
        "user messages; an orange tick is a fold</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


def _panel(curve: Curve, top: float, budget: int, context: int) -> list[str]:
    width = WIDTH - LEFT - RIGHT

    def x(turn: float) -> float:
        return round(LEFT + width * turn / max(len(curve.tokens), 1), 1)

    def y(tokens: float) -> float:
        return round(top + PANEL * (1 - tokens / context), 1)

    points = " ".join(f"{x(turn)},{y(tokens)}" for turn, tokens in enumerate(curve.tokens, 1))
    ticks = "".join(f"M{x(turn)} {y(0)}v7" for turn in curve.folds)
    step = 50
    return [
        f'<text x="{LEFT}" y="{top - 8}" font-weight="600">{curve.name}</text>',
        *(_level(tokens, y(tokens), "") for tokens in range(0, context + 1, 4_000)),
        _level(budget, y(budget), ' stroke-dasharray="4 3"', "budget"),
        *(
            f'<text x="{x(turn)}" y="{y(0) + 20}" text-anchor="middle">{turn}</text>'
            for turn in range(step, len(curve.tokens) + 1, step)
        ),
        f'<path d="{ticks}" stroke="{FOLD}" stroke-width="2"/>' if ticks else "",
        f'<polyline points="{points}" fill="none" stroke="{STROKE}" stroke-width="1.6"/>',
    ]


def _level(tokens: int, y: float, dashes: str, label: str = "") -> str:
    opacity = "0.9" if label else "0.3"
    line = (
        f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{MUTED}" stroke-width="1" '
        f'stroke-opacity="{opacity}"{dashes}/>'
    )
    text = label or f"{tokens:,}"
    anchor, x = ("end", LEFT - 8) if not label else ("end", WIDTH - RIGHT)
    shift = 4 if not label else -4
    return line + f'<text x="{x}" y="{y + shift}" text-anchor="{anchor}">{text}</text>'

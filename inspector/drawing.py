"""Charts as plain numbers that a template writes as SVG: no script, no style, each with its table."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

WIDTH, HEIGHT = 640.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 10.0, 12.0, 28.0
LABELS = 6


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or one colour of bars; None where nothing is known."""

    name: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle, and the words it has when one points at it."""

    kind: int
    x: str
    y: str
    width: str
    height: str
    words: str


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line and its dots; a gap in the values is a gap in the line."""

    kind: int
    path: str
    dots: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A label of an axis and where it stands."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """All that a template needs; `rows` are the table: a label and one text per series."""

    key: str
    title: str
    about: str
    unit: str
    names: Sequence[tuple[int, str]]
    bars: Sequence[Bar]
    strokes: Sequence[Stroke]
    across: Sequence[Mark]
    up: Sequence[Mark]
    rows: Sequence[tuple[str, Sequence[str]]]
    is_empty: bool


@dataclass(frozen=True, slots=True)
class _Plane:
    count: int
    top: float

    def x(self, place: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * place / max(self.count, 1)

    def y(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / self.top)


def bars(
    key: str,
    title: str,
    about: str,
    labels: Sequence[str],
    series: Sequence[Series],
    unit: str = "",
) -> Chart:
    """Draw one column per label, its series on top of each other."""
    sums = [sum(one.values[place] or 0 for one in series) for place in range(len(labels))]
    plane = _Plane(len(labels), nice(max(sums, default=0)))
    drawn: list[Bar] = []
    for place, label in enumerate(labels):
        drawn += _column(plane, place, label, series)
    return _chart(key, title, about, labels, series, unit, plane, drawn, ())


def lines(
    key: str,
    title: str,
    about: str,
    labels: Sequence[str],
    series: Sequence[Series],
    unit: str = "",
) -> Chart:
    """Draw one line per series."""
    highest = max((value for one in series for value in one.values if value is not None), default=0)
    plane = _Plane(len(labels), nice(highest))
    strokes = [_stroke(plane, kind, labels, one) for kind, one in enumerate(series)]
    return _chart(key, title, about, labels, series, unit, plane, (), strokes)


def nice(highest: float) -> float:
    """Return the next number at which an axis may end: 1, 2 or 5 times a power of ten."""
    if highest <= 0:
        return 1.0
    power = float(10 ** floor(log10(highest)))
    return next(step * power for step in (1, 2, 5, 10) if highest <= step * power)


def said(value: float | None) -> str:
    """Return a number as a table shows it; a hyphen for what is not known."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"


def _column(plane: _Plane, place: int, label: str, series: Sequence[Series]) -> list[Bar]:
    drawn, base = [], 0.0
    left, width = plane.x(place + 0.12), (plane.x(1) - plane.x(0)) * 0.76
    for kind, one in enumerate(series):
        value = one.values[place] or 0
        if value:
            y, height = plane.y(base + value), plane.y(base) - plane.y(base + value)
            words = f"{label}, {one.name}: {said(value)}"
            drawn.append(Bar(kind, _n(left), _n(y), _n(width), _n(height), words))
        base += value
    return drawn


def _stroke(plane: _Plane, kind: int, labels: Sequence[str], one: Series) -> Stroke:
    path, dots, is_new = "", [], True
    for place, value in enumerate(one.values):
        if value is None:
            is_new = True
            continue
        x, y = _n(plane.x(place + 0.5)), _n(plane.y(value))
        path += f"{'M' if is_new else 'L'}{x} {y}"
        dots.append((x, y, f"{labels[place]}, {one.name}: {said(value)}"))
        is_new = False
    return Stroke(kind, path, dots)


def _chart(
    key: str,
    title: str,
    about: str,
    labels: Sequence[str],
    series: Sequence[Series],
    unit: str,
    plane: _Plane,
    drawn: Sequence[Bar],
    strokes: Sequence[Stroke],
) -> Chart:
    step = max(1, ceil(len(labels) / LABELS))
    return Chart(
        key=key,
        title=title,
        about=about,
        unit=unit,
        names=[(kind, one.name) for kind, one in enumerate(series)],
        bars=drawn,
        strokes=strokes,
        across=[
            Mark(_n(plane.x(place + 0.5)), labels[place]) for place in range(0, len(labels), step)
        ],
        up=[Mark(_n(plane.y(plane.top * part)), said(plane.top * part)) for part in (0, 0.5, 1)],
        rows=[
            (label, [said(one.values[place]) for one in series])
            for place, label in enumerate(labels)
        ],
        is_empty=not any(value for one in series for value in one.values),
    )


def _n(value: float) -> str:
    return f"{value:.1f}"

"""What stands before a time: `before`, `since`, `between … and`, `the end of`, `two days after`."""

import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import cast

from ranking.periods import spans
from ranking.periods.matches import Nearest, Reference
from ranking.periods.period import Period
from ranking.periods.reading import Token
from ranking.periods.spans import Days, Which

STEPS = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
# `two weeks` before something; an article alone is one.
# `Early this morning` is this morning: a weekend or less has no parts worth telling.
SHORTEST_PARTED = timedelta(days=3)
# `the first week of`, `the last weekend of`, `the week of`.
SIZED = re.compile("[Il]?[UB]$")
OFFSET = re.compile("[dNo]{1,2}[UJ]$|o?[WXB]$")


def related(tokens: list[Token], references: list[Reference]) -> list[Period]:
    """Return the periods that the references, with what stands before them, mean."""
    kinds = "".join(token.kind for token in tokens)
    periods: list[Period] = []
    rest = [_narrowed(tokens, kinds, reference) for reference in references]
    kept = -1
    while rest:
        reference = rest.pop(0)
        if rest and _is_range(kinds, reference, rest[0]):
            reference = _joined(reference, rest.pop(0))
        elif reference.loose and (kept < 0 or kinds[kept : reference.first].strip("eoC")):
            continue
        kept = reference.after
        # Far from now a zone has no calendar.
        with suppress(ValueError, OverflowError):
            periods.append(_period(tokens, kinds, reference))
    return list({(period.start, period.end): period for period in periods}.values())


def _is_range(kinds: str, first: Reference, second: Reference) -> bool:
    between = kinds[first.after : second.first].rstrip("o")
    opened = kinds[: first.first].rstrip("o")
    if between in ("A", "u") and (opened[-1:] in ("b", "r", "s") or kinds[first.first - 1] == "o"):
        return first.first > 0
    return between in ("e", "u") and opened[-1:] in ("b", "r")


def _joined(first: Reference, second: Reference) -> Reference:
    """Return the range from one to the other; a year that one lacks is that of the other."""
    if first.nearest:
        days = first.nearest(Which.LATEST, second.start.date())
        start = datetime.combine(days.first, first.start.timetz())
        first = replace(first, start=start, end=start)
    elif second.nearest:
        days = second.nearest(Which.NEXT, first.start.date())
        second = replace(second, end=datetime.combine(days.after, second.end.timetz()))
    start, end = min(first.start, second.start), max(first.end, second.end)
    return replace(second, start=start, end=end, first=first.first, joined=True)


def _narrowed(tokens: list[Token], kinds: str, reference: Reference) -> Reference:
    """Return the part of a time that `early` or `the end of` leaves."""
    place = _articles(kinds, reference.first)
    if kinds[place - 1 : place] != "E":
        return reference
    if reference.end - reference.start < SHORTEST_PARTED:
        return replace(reference, first=place - 1, loose=False)
    part = cast("tuple[int, int, int]", tokens[place - 1].value)
    whole = Days(reference.start.date(), reference.end.date())
    start, end = _midnights(spans.share(whole, part), reference.start)
    nearest = partial(_nearest_part, reference.nearest, part) if reference.nearest else None
    return replace(reference, start=start, end=end, first=place - 1, loose=False, nearest=nearest)


def _nearest_part(nearest: Nearest, part: tuple[int, int, int], which: Which, day: date) -> Days:
    return spans.share(nearest(which, day), part)


def _period(tokens: list[Token], kinds: str, reference: Reference) -> Period:
    start, end = reference.start, reference.end
    place = _articles(kinds, reference.first)
    size = SIZED.search(kinds, max(place - 2, 0), place)
    if size and kinds[place : reference.first]:
        start, end = _sized(tokens[size.start() : place], start, end)
        place = _articles(kinds, size.start())
    opened, closed, first = _open(tokens, kinds, place, start, end)
    if reference.joined:
        opened, closed, first = start, end, place
    words = (tokens[min(first, reference.first)].start, tokens[reference.after - 1].end)
    return Period(_utc(opened), _utc(closed), reference.weight, words)


def _sized(tokens: list[Token], start: datetime, end: datetime) -> tuple[datetime, datetime]:
    """Return the `first week` or the `last day` of a span, or the `week` that it begins in."""
    name = "weekend" if tokens[-1].kind == "B" else cast(str, tokens[-1].value)
    if name not in ("day", "week", "weekend"):
        return start, end
    if len(tokens) > 1:
        number = cast(int, tokens[0].value) if tokens[0].kind == "I" else -1
        days = spans.nth(name, Days(start.date(), end.date()), number)
    elif end - start > timedelta(days=7):
        return start, end
    else:
        days = spans.unit(name, start.date(), 0)
    return _midnights(days, start)


def _open(
    tokens: list[Token], kinds: str, place: int, start: datetime, end: datetime
) -> tuple[datetime | None, datetime | None, int]:
    """Return the span that the word before `place` makes of one, and where that word stands."""
    relation = kinds[place - 1] if place else ""
    if relation and relation in "fvg":
        offset = OFFSET.search(kinds, max(place - 4, 0), place - 1)
        if offset:
            beside = tokens[offset.start() : place - 1]
            return *_beside(beside, relation == "g", start, end), offset.start()
        return (end, None, place - 1) if relation == "g" else (None, start, place - 1)
    if relation == "s":
        return start, None, place - 1
    return (None, end, place - 1) if relation == "u" else (start, end, place)


def _beside(
    tokens: list[Token], is_after: bool, start: datetime, end: datetime
) -> tuple[datetime, datetime]:
    """Return `two days`, `the weekend` or `the Monday` before or after a span."""
    if tokens[-1].kind in "WX":
        which, day = (Which.NEXT, end - spans.DAY) if is_after else (Which.LAST, start)
        return _midnights(spans.weekday(cast(int, tokens[-1].value), which, day.date()), start)
    if tokens[-1].kind == "B":
        weekend = spans.unit("weekend", (end if is_after else start).date(), 0 if is_after else -1)
        return _midnights(weekend, start)
    step, count = _offset(tokens)
    if is_after:
        return end + (count - 1) * step, end + count * step
    return start - count * step, start - (count - 1) * step


def _offset(tokens: list[Token]) -> tuple[timedelta, int]:
    """Return the unit and the number of `two weeks` before or after something."""
    unit = str(tokens[-1].value).removesuffix("s") if tokens[-1].kind == "U" else "year"
    counts = [token.value for token in tokens if token.kind in "dN"]
    count = counts[0] if counts else 1
    return STEPS[unit], count[1] if isinstance(count, tuple) else cast(int, count)


def _articles(kinds: str, place: int) -> int:
    """Return the place of the first of the articles that end before `place`."""
    return len(kinds[:place].rstrip("o"))


def _midnights(days: Days, zoned: datetime) -> tuple[datetime, datetime]:
    zone = zoned.tzinfo
    first = datetime.combine(days.first, time(), zone)
    return first, datetime.combine(days.after, time(), zone)


def _utc(moment: datetime | None) -> datetime | None:
    return moment.astimezone(UTC) if moment else None

"""The calendar behind words of time: half-open spans of days, and which of a year's is meant."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum

DAY = timedelta(days=1)
# 29 February is eight years away from the next one at most.
YEARS_AROUND = 8
EASTER = "easter"


class Which(Enum):
    LATEST = "the latest that has begun"
    LAST = "the latest that is over"
    THIS = "the one that is now, or in this year"
    NEXT = "the first that has not begun"


@dataclass(frozen=True, slots=True)
class Days:
    """The days from `first` on, `after` not among them."""

    first: date
    after: date


Occasion = Callable[[int], Days]
"""What comes once a year, by the year; raises ValueError in a year that has none."""


def add_months(day: date, months: int) -> date:
    """Return the first of the month so many months on."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, 1)


def months(first: int, count: int = 1) -> Occasion:
    """Return the months from the `first` of a year on; a winter ends in the year after."""

    def occasion(year: int) -> Days:
        start = date(year, first, 1)
        return Days(start, add_months(start, count))

    return occasion


def days(month: int, day: int, count: int = 1) -> Occasion:
    def occasion(year: int) -> Days:
        start = date(year, month, day)
        return Days(start, start + count * DAY)

    return occasion


def easter(offset: int, count: int = 1) -> Occasion:
    """Return the days that begin `offset` days from Easter Sunday (Gregorian, Butcher's rule)."""

    def occasion(year: int) -> Days:
        a, b, c = year % 19, year // 100, year % 100
        h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
        k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
        month, day = divmod(h + k - 7 * ((a + 11 * h + 22 * k) // 451) + 114, 31)
        start = date(year, month, day + 1) + offset * DAY
        return Days(start, start + count * DAY)

    return occasion


def thanksgiving(year: int) -> Days:
    """Return the fourth Thursday of November."""
    first = date(year, 11, 1)
    start = first + ((3 - first.weekday()) % 7 + 21) * DAY
    return Days(start, start + DAY)


def black_friday(year: int) -> Days:
    """Return the day after Thanksgiving."""
    start = thanksgiving(year).after
    return Days(start, start + DAY)


def choose(occasion: Occasion, which: Which, today: date) -> Days:
    """Return the occurrence meant; raises ValueError where there is none."""
    near = list(_around(occasion, today))
    if which is Which.LATEST:
        return max((one for one in near if one.first <= today), key=_first)
    if which is Which.LAST:
        return max((one for one in near if one.after <= today), key=_first)
    if which is Which.NEXT:
        return min((one for one in near if one.first > today), key=_first)
    now = [one for one in near if one.first <= today < one.after]
    return now[0] if now else occasion(today.year)


def weekday(number: int, which: Which, today: date) -> Days:
    """Return that day of the week: of this week, or the nearest before or after today."""
    back = (today.weekday() - number) % 7 or 7
    day = today - back * DAY
    if which is Which.NEXT:
        day = today + ((number - today.weekday()) % 7 or 7) * DAY
    if which is Which.THIS:
        day = today + (number - today.weekday()) * DAY
    return Days(day, day + DAY)


def day_of_month(number: int, which: Which, today: date) -> Days:
    """Return that day of this month, or of the latest that has begun it."""
    for months_ago in range(3):
        month = add_months(today, -months_ago)
        day = month + (number - 1) * DAY
        if day <= today and day.month == month.month:
            return Days(day, day + DAY)
    raise ValueError(number)


def nth(name: str, whole: Days, number: int) -> Days:
    """Return the first, second … day, week or weekend of the days; the last for -1."""
    size = {"day": 1, "week": 7, "weekend": 2}[name] * DAY
    step = 7 * DAY if name == "weekend" else size
    start = whole.first
    if name == "weekend":
        start += (5 - start.weekday()) % 7 * DAY
    if number > 0:
        start += (number - 1) * step
    else:
        start = whole.after - size
        if name == "weekend":
            start -= (start.weekday() - 5) % 7 * DAY
    return Days(start, start + size)


def unit(name: str, today: date, offset: int) -> Days:
    """Return the whole day, week, weekend, month, quarter or year so many before or after now."""
    if name == "year":
        return months(1, 12)(today.year + offset)
    if name in ("month", "quarter"):
        size = 3 if name == "quarter" else 1
        start = add_months(today, -((today.month - 1) % size) + offset * size)
        return Days(start, add_months(start, size))
    if name == "day":
        return Days(today + offset * DAY, today + (offset + 1) * DAY)
    monday = today + (7 * offset - today.weekday()) * DAY
    return Days(monday + 5 * DAY if name == "weekend" else monday, monday + 7 * DAY)


def back(name: str, today: date, count: int) -> date:
    """Return the day that is `count` units before today, of any length of month."""
    if name not in ("month", "quarter", "year"):
        return today - count * (7 if name in ("week", "weekend") else 1) * DAY
    start = add_months(today, -count * {"month": 1, "quarter": 3, "year": 12}[name])
    return start + (min(today.day, (add_months(start, 1) - start).days) - 1) * DAY


def share(whole: Days, part: tuple[int, int, int]) -> Days:
    """Return a part of the days, as thirds or halves: (of how many, from, to)."""
    of, begin, end = part
    size = (whole.after - whole.first).days
    if size > 80 and whole.first.day == 1:
        count = round(size / 30.4)
        return Days(
            add_months(whole.first, count * begin // of), add_months(whole.first, count * end // of)
        )
    step = max(size // of, 1)
    last = whole.after if end == of else whole.first + step * end * DAY
    return Days(whole.first + step * begin * DAY, last)


def _around(occasion: Occasion, today: date) -> Iterator[Days]:
    for year in range(today.year - YEARS_AROUND, today.year + YEARS_AROUND + 1):
        with suppress(ValueError, OverflowError):
            yield occasion(year)


def _first(span: Days) -> date:
    return span.first

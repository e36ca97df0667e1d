"""What each pattern of the grammar means."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import cast

from ranking.periods import spans
from ranking.periods.matches import BARE_YEARS, STEP, VAGUE, WHICH, PeriodMatch, Reference
from ranking.periods.spans import Days, Occasion, Which


def itself(match: PeriodMatch) -> Reference:
    return named(match, cast("tuple[object, ...]", match.value("D")))


def named(match: PeriodMatch, value: tuple[object, ...]) -> Reference:
    kind, *rest = value
    if kind == "days":
        return match.within(cast(Days, rest[0]))
    if kind == "day":
        return match.within(spans.unit("day", match.today, cast(int, rest[0])))
    if kind == "unit":
        return match.within(spans.unit(cast(str, rest[0]), match.today, cast(int, rest[1])))
    if kind == "part":
        day = spans.unit("day", match.today, cast(int, rest[0])).first
        begin, end = cast("tuple[int, int]", rest[1])
        return Reference(match.moment(day, begin), match.moment(day, end))
    if kind == "decade":
        return match.within(spans.months(1, 120)(cast(int, rest[0])))
    if kind == "rolling":
        day = match.today - cast(int, rest[0]) * spans.DAY
        return Reference(match.moment(day), match.now, cast(float, rest[1]))
    far, near, weight = cast("tuple[int, int, float]", tuple(rest))
    return match.within(Days(match.today - far * spans.DAY, match.today - near * spans.DAY), weight)


def part_of_day(match: PeriodMatch) -> Reference:
    """Read `yesterday evening`, `Tuesday night`, `this morning`."""
    if match.has("D"):
        day = itself(match)
    elif match.has("WX"):
        day = weekday(match)
    else:
        day = match.within(spans.unit("day", match.today, 0))
    begin, end = cast("tuple[int, int]", match.value("P"))
    start = day.start
    return Reference(start + timedelta(hours=begin), start + timedelta(hours=end), day.weight)


def date(match: PeriodMatch) -> Reference:
    return match.dated(spans.days(match.number("Mmy"), match.number("dOI")))


def dotted(match: PeriodMatch) -> Reference:
    day, month = cast("tuple[int, int]", match.value("F"))
    return match.dated(spans.days(month, day))


def days_of_month(match: PeriodMatch) -> Reference:
    if match.has("R"):
        begin, end = cast("tuple[int, int]", match.value("R"))
    else:
        begin, end = (cast(int, token.value) for token in match.tokens if token.kind in "dO")
    return match.dated(spans.days(match.number("Mmy"), begin, end - begin + 1))


def month(match: PeriodMatch) -> Reference:
    return match.dated(spans.months(match.number("Mmy")))


def loose_month(match: PeriodMatch) -> Reference:
    return replace(month(match), loose=True)


def yearly(match: PeriodMatch) -> Reference:
    return match.dated(cast(Occasion, match.value("SHGQ")))


def decade(match: PeriodMatch) -> Reference:
    return match.within(spans.months(1, 120)(match.number("Z")))


def quarter(match: PeriodMatch) -> Reference:
    return match.dated(spans.months(match.number("I") * 3 - 2, 3))


def year(match: PeriodMatch) -> Reference:
    return match.within(spans.months(1, 12)(match.number("Y")))


def bare_year(match: PeriodMatch) -> Reference:
    """Read `Was habe ich 2019 gemacht?`, but no sum of `2000 Euro`."""
    number = match.number("Y")
    if number % 50 == 0 or not -BARE_YEARS <= number - match.today.year <= 1:
        raise ValueError
    return replace(year(match), weight=VAGUE)


def loose_year(match: PeriodMatch) -> Reference:
    return replace(year(match), loose=True)


def weekday(match: PeriodMatch) -> Reference:
    nearest = partial(spans.weekday, match.number("WX"))
    if match.has("ltn"):
        return match.within(nearest(WHICH[match.direction()], match.today))
    return match.guessed(nearest, Which.LAST)


def loose_weekday(match: PeriodMatch) -> Reference:
    return replace(weekday(match), loose=True)


def day_of_month(match: PeriodMatch) -> Reference:
    return match.guessed(partial(spans.day_of_month, match.number("O")), Which.LATEST)


def weekday_of_week(match: PeriodMatch) -> Reference:
    """Read `Monday last week`, `three weeks ago on Monday`."""
    if match.unit() != "week":
        raise ValueError
    step = STEP[match.direction()] if match.has("ltn") else -match.count()[1]
    week = spans.unit("week", match.today, step)
    day = week.first + match.number("WX") * spans.DAY
    return match.within(Days(day, day + spans.DAY))


def turned(match: PeriodMatch) -> Reference:
    """Read `last May`, `this spring`, `next Christmas`."""
    if match.has("Mmy"):
        occasion = spans.months(match.number("Mmy"))
    else:
        occasion = cast(Occasion, match.value("SHGQ"))
    return match.within(spans.choose(occasion, WHICH[match.direction()], match.today))


def turned_unit(match: PeriodMatch) -> Reference:
    """Read `last week`, `this month`, `next year`; of days and hours only with a number."""
    unit, step = match.unit(), STEP[match.direction()]
    if match.is_plural():
        return rolling(match)
    if unit in ("day", "hour"):
        raise ValueError
    begun = spans.unit("weekend", match.today, 0).after > match.today
    if unit == "weekend" and step < 0 and not begun:
        step = 0
    return match.within(spans.unit(unit, match.today, step))


def this_unit(match: PeriodMatch) -> Reference:
    """Read `the year` in `the end of the year`; not `the day`, which is a turn of phrase."""
    if match.unit() in ("day", "hour", "weekend"):
        raise ValueError
    return match.within(spans.unit(match.unit(), match.today, 0))


def weekend(match: PeriodMatch) -> Reference:
    this = spans.unit("weekend", match.today, 0)
    return match.within(
        this if this.first <= match.today else spans.unit("weekend", match.today, -1)
    )


def rolling(match: PeriodMatch) -> Reference:
    """Read `the last three weeks`: up to now, or from now on."""
    unit, (_, most) = match.unit(), match.count()
    ahead = match.direction() == "n"
    if unit == "hour":
        by = timedelta(hours=most)
        return Reference(match.now - (not ahead) * by, match.now + ahead * by)
    if ahead:
        return Reference(match.now, match.moment(spans.back(unit, match.today, -most) + spans.DAY))
    return Reference(match.moment(spans.back(unit, match.today, most)), match.now)


def since(match: PeriodMatch) -> Reference:
    """Read `seit zwei Wochen`, `depuis trois jours`: up to now."""
    start = match.moment(spans.back(match.unit(), match.today, match.count()[1]))
    return Reference(start, match.now)


def years_ago(match: PeriodMatch) -> Reference:
    """Read `two summers ago`."""
    occasion = cast(Occasion, match.value("L"))
    last = spans.choose(occasion, Which.LAST, match.today)
    return match.within(occasion(last.first.year - match.count()[1] + 1))


def day_ago(match: PeriodMatch) -> Reference:
    """Read `a year ago today`."""
    if match.value("D") != ("day", 0):
        raise ValueError
    day = spans.back(match.unit(), match.today, match.count()[1])
    return match.within(Days(day, day + spans.DAY))


def ago(match: PeriodMatch) -> Reference:
    unit, (least, most) = match.unit(), match.count()
    weight = 1.0 if least == most else VAGUE
    if unit == "hour":
        hour = match.now.replace(minute=0, second=0, microsecond=0)
        begin, end = hour - timedelta(hours=most), hour - timedelta(hours=least - 1)
        return Reference(begin, end, weight)
    first = spans.unit(unit, match.today, -most).first
    return match.within(Days(first, spans.unit(unit, match.today, -least).after), weight)

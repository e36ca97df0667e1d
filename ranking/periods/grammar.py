"""The grammar of time, as patterns over the classes of tokens, and what each of them means."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import cast

from ranking.periods import spans
from ranking.periods.reading import Token
from ranking.periods.spans import Days, Occasion, Which
from ranking.periods.vocabulary import FEW

GUESSED, VAGUE = 0.8, 0.5
# Without a preposition, years of so long ago are taken for other numbers.
BARE_YEARS = 30
WHICH = {"l": Which.LAST, "t": Which.THIS, "n": Which.NEXT}
STEP = {"l": -1, "t": 0, "n": 1}
Nearest = Callable[[Which, date], Days]


@dataclass(frozen=True, slots=True)
class Reference:
    """A span of time that tokens name; times are those of the clock where it is asked.

    `nearest` finds another occurrence of the same, where the words leave open which. What is
    `loose` counts only beside another: `June` in `from May to June`. What is `joined` is a range.
    """

    start: datetime
    end: datetime
    weight: float = 1.0
    nearest: Nearest | None = None
    loose: bool = False
    joined: bool = False
    first: int = 0
    after: int = 0


class Match:
    """The tokens of one match, by their classes."""

    def __init__(self, tokens: list[Token], now: datetime) -> None:
        self.tokens, self.now, self.today = tokens, now, now.date()

    def has(self, kinds: str) -> bool:
        return any(token.kind in kinds for token in self.tokens)

    def value(self, kinds: str) -> object:
        return next(token.value for token in self.tokens if token.kind in kinds)

    def number(self, kinds: str) -> int:
        return cast(int, self.value(kinds))

    def count(self) -> tuple[int, int]:
        """Return how many at least and at most; an article is one."""
        for token in self.tokens:
            if token.kind == "N":
                return cast("tuple[int, int]", token.value)
            if token.kind == "d":
                return cast(int, token.value), cast(int, token.value)
        return FEW if self.is_plural() else (1, 1)

    def unit(self) -> str:
        for token in self.tokens:
            if token.kind in "UqBJ":
                name = {"J": "year", "q": "quarter"}.get(token.kind) or cast(str, token.value)
                return name.removesuffix("s")
        raise ValueError

    def is_plural(self) -> bool:
        return any(token.kind == "U" and str(token.value)[-1] == "s" for token in self.tokens)

    def direction(self) -> str:
        return next(token.kind for token in self.tokens if token.kind in "ltn")

    def moment(self, day: object, hour: int = 0) -> datetime:
        return datetime.combine(day, time(), self.now.tzinfo) + timedelta(hours=hour)  # type: ignore[call-overload, no-any-return]

    def within(self, days: Days, weight: float = 1.0) -> Reference:
        return Reference(self.moment(days.first), self.moment(days.after), weight)

    def dated(self, occasion: Occasion) -> Reference:
        """Return the occurrence in the year that is named, or the latest that has begun."""
        if self.has("Y"):
            return self.within(occasion(self.number("Y")))
        if self.has("J"):
            return self.within(occasion(self.today.year + STEP[self.direction()]))
        return self.guessed(partial(spans.choose, occasion), Which.LATEST)

    def guessed(self, nearest: Nearest, which: Which) -> Reference:
        return replace(self.within(nearest(which, self.today), GUESSED), nearest=nearest)


def _itself(match: Match) -> Reference:
    return _named(match, cast("tuple[object, ...]", match.value("D")))


def _named(match: Match, value: tuple[object, ...]) -> Reference:
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


def _part_of_day(match: Match) -> Reference:
    """Read `yesterday evening`, `Tuesday night`, `this morning`."""
    if match.has("D"):
        day = _itself(match)
    elif match.has("WX"):
        day = _weekday(match)
    else:
        day = match.within(spans.unit("day", match.today, 0))
    begin, end = cast("tuple[int, int]", match.value("P"))
    start = day.start
    return Reference(start + timedelta(hours=begin), start + timedelta(hours=end), day.weight)


def _date(match: Match) -> Reference:
    return match.dated(spans.days(match.number("Mmy"), match.number("dOI")))


def _dotted(match: Match) -> Reference:
    day, month = cast("tuple[int, int]", match.value("F"))
    return match.dated(spans.days(month, day))


def _days_of_month(match: Match) -> Reference:
    if match.has("R"):
        begin, end = cast("tuple[int, int]", match.value("R"))
    else:
        begin, end = (cast(int, token.value) for token in match.tokens if token.kind in "dO")
    return match.dated(spans.days(match.number("Mmy"), begin, end - begin + 1))


def _month(match: Match) -> Reference:
    return match.dated(spans.months(match.number("Mmy")))


def _loose_month(match: Match) -> Reference:
    return replace(_month(match), loose=True)


def _yearly(match: Match) -> Reference:
    return match.dated(cast(Occasion, match.value("SHGQ")))


def _decade(match: Match) -> Reference:
    return match.within(spans.months(1, 120)(match.number("Z")))


def _quarter(match: Match) -> Reference:
    return match.dated(spans.months(match.number("I") * 3 - 2, 3))


def _year(match: Match) -> Reference:
    return match.within(spans.months(1, 12)(match.number("Y")))


def _bare_year(match: Match) -> Reference:
    """Read `Was habe ich 2019 gemacht?`, but no sum of `2000 Euro`."""
    year = match.number("Y")
    if year % 50 == 0 or not -BARE_YEARS <= year - match.today.year <= 1:
        raise ValueError
    return replace(_year(match), weight=VAGUE)


def _loose_year(match: Match) -> Reference:
    return replace(_year(match), loose=True)


def _weekday(match: Match) -> Reference:
    nearest = partial(spans.weekday, match.number("WX"))
    if match.has("ltn"):
        return match.within(nearest(WHICH[match.direction()], match.today))
    return match.guessed(nearest, Which.LAST)


def _loose_weekday(match: Match) -> Reference:
    return replace(_weekday(match), loose=True)


def _day_of_month(match: Match) -> Reference:
    return match.guessed(partial(spans.day_of_month, match.number("O")), Which.LATEST)


def _weekday_of_week(match: Match) -> Reference:
    """Read `Monday last week`, `three weeks ago on Monday`."""
    if match.unit() != "week":
        raise ValueError
    step = STEP[match.direction()] if match.has("ltn") else -match.count()[1]
    week = spans.unit("week", match.today, step)
    day = week.first + match.number("WX") * spans.DAY
    return match.within(Days(day, day + spans.DAY))


def _turned(match: Match) -> Reference:
    """Read `last May`, `this spring`, `next Christmas`."""
    if match.has("Mmy"):
        occasion = spans.months(match.number("Mmy"))
    else:
        occasion = cast(Occasion, match.value("SHGQ"))
    return match.within(spans.choose(occasion, WHICH[match.direction()], match.today))


def _turned_unit(match: Match) -> Reference:
    """Read `last week`, `this month`, `next year`; of days and hours only with a number."""
    unit, step = match.unit(), STEP[match.direction()]
    if match.is_plural():
        return _rolling(match)
    if unit in ("day", "hour"):
        raise ValueError
    begun = spans.unit("weekend", match.today, 0).after > match.today
    if unit == "weekend" and step < 0 and not begun:
        step = 0
    return match.within(spans.unit(unit, match.today, step))


def _this_unit(match: Match) -> Reference:
    """Read `the year` in `the end of the year`; not `the day`, which is a turn of phrase."""
    if match.unit() in ("day", "hour", "weekend"):
        raise ValueError
    return match.within(spans.unit(match.unit(), match.today, 0))


def _weekend(match: Match) -> Reference:
    this = spans.unit("weekend", match.today, 0)
    return match.within(
        this if this.first <= match.today else spans.unit("weekend", match.today, -1)
    )


def _rolling(match: Match) -> Reference:
    """Read `the last three weeks`: up to now, or from now on."""
    unit, (_, most) = match.unit(), match.count()
    ahead = match.direction() == "n"
    if unit == "hour":
        by = timedelta(hours=most)
        return Reference(match.now - (not ahead) * by, match.now + ahead * by)
    if ahead:
        return Reference(match.now, match.moment(spans.back(unit, match.today, -most) + spans.DAY))
    return Reference(match.moment(spans.back(unit, match.today, most)), match.now)


def _since(match: Match) -> Reference:
    """Read `seit zwei Wochen`, `depuis trois jours`: up to now."""
    start = match.moment(spans.back(match.unit(), match.today, match.count()[1]))
    return Reference(start, match.now)


def _years_ago(match: Match) -> Reference:
    """Read `two summers ago`."""
    occasion = cast(Occasion, match.value("L"))
    last = spans.choose(occasion, Which.LAST, match.today)
    return match.within(occasion(last.first.year - match.count()[1] + 1))


def _day_ago(match: Match) -> Reference:
    """Read `a year ago today`."""
    if match.value("D") != ("day", 0):
        raise ValueError
    day = spans.back(match.unit(), match.today, match.count()[1])
    return match.within(Days(day, day + spans.DAY))


def _ago(match: Match) -> Reference:
    unit, (least, most) = match.unit(), match.count()
    weight = 1.0 if least == most else VAGUE
    if unit == "hour":
        hour = match.now.replace(minute=0, second=0, microsecond=0)
        begin, end = hour - timedelta(hours=most), hour - timedelta(hours=least - 1)
        return Reference(begin, end, weight)
    first = spans.unit(unit, match.today, -most).first
    return match.within(Days(first, spans.unit(unit, match.today, -least).after), weight)


def _behind(kinds: str, articles: int = 2) -> str:
    """Return a pattern for: behind one of these classes, articles between."""
    return "(?:" + "|".join(f"(?<=[{kinds}]{'o' * count})" for count in range(articles + 1)) + ")"


# Whatever lets a month, a season or a weekday be a time: a preposition.
PLACED = _behind("iAjfgvsubrE")
IN_YEAR = "(?:[oiACe]{0,2}Y|[oiCA]{0,3}(?:[ltn]J|J[ltn]))"
ENDS = "(?=[TCp]|$)"
# A number that counts something, or stands beside another, is no year.
NO_COUNT = "(?![UzdNYqB])"
PATTERNS: tuple[tuple[str, Callable[[Match], Reference]], ...] = (
    ("D[ioA]{0,2}P", _part_of_day),
    ("(?<!K)D", _itself),
    ("(?<=[oi])Z", _decade),
    (rf"(?:Ro?o?[Mmy]|[dO]T?[eAu]o?[dO]T?o?[Mmy]|[Mmy]R)(?:{IN_YEAR})?", _days_of_month),
    (rf"[dOI]T?o?[Mmy]T?{IN_YEAR}", _date),
    (rf"[Mmy]T?o?[dO]{IN_YEAR}", _date),
    (r"(?:Oo?o?[Mmy]|Io[Mmy]|[Mmy]T?o?O|[dO]To?[Mmy])(?![wz])", _date),
    (rf"(?:do?o?M|MT?d)(?![Uz])|{_behind('iAjhfgvsubroeX')}(?:do?o?[my]|[my]T?d)(?![Uwz])", _date),
    (r"(?:do?o?m|md)(?![Uwzd])", _date),
    (rf"{_behind('jhfgvsubreoi')}F(?=T)", _dotted),
    (rf"[Mmy]T?{IN_YEAR}", _month),
    (rf"[SHGQ]{IN_YEAR}", _yearly),
    (rf"Iq(?:{IN_YEAR})?", _quarter),
    (r"(?:[ltn]J|J[ltn])[ioA]{1,2}[Mmy]", _month),
    (r"(?:[ltn]J|J[ltn])[ioA]{0,2}[SHG]", _yearly),
    (
        r"[WX][ioj]{0,2}(?:[ltn]U|U[ltn]|[dNo]{1,3}Ua|v[dNo]{1,2}U)"
        r"|(?:[ltn]U|U[ltn]|[dNo]{1,3}Ua|v[dNo]{1,2}U)[ioj]{1,2}[WX]",
        _weekday_of_week,
    ),
    (r"(?:[ltn][WX]|[WX][ltn]|(?<!x)[WX])[ioA]{0,2}P|tP", _part_of_day),
    (r"[ltn][WX]|[WX][ltn]", _weekday),
    (r"[ln][Mm](?!w)|t[Mm](?![wk])|ly(?!w)|[Mmy][ltn]|[ltn][SHGQ]|[SHGQ][ltn]", _turned),
    (r"(?:[ltn][dN]o?[UJqB]|[dN][ltn][UJqB]|[dN][UJqB][ltn])", _rolling),
    (r"(?:(?<=o)|t)l[UJq](?!o+[MmyYSltnJ])", _rolling),
    (r"(?:[ltn][UJqB]|[UJqB][ltn])(?!o+[MmyYSltn])", _turned_unit),
    (r"[dNo]{1,3}[UJ]aD", _day_ago),
    (r"[dN]La", _years_ago),
    (r"[dNo]{1,3}[UJqB]a|v[dNo]{1,3}[UJqB]", _ago),
    (rf"{_behind('fgvsu')}(?:M|m(?![wzc]))|{_behind('iAbr')}[Mmy](?![w])", _month),
    (r"(?<=E)[Mmy]|(?<=[UB]o)[Mmy]|M(?=V)", _month),
    (r"sv?[dN][UJqB](?!a)", _since),
    (rf"{_behind('iAfgvsubrE')}S(?!o?[wz]|ok)", _yearly),
    (rf"{_behind('iAjhfgvsubrE')}H(?!z)|(?<!x)G", _yearly),
    (rf"{_behind('iAfgvsubrE')}Q|^Q|Q{ENDS}", _yearly),
    (rf"{PLACED}W(?!C?o?[dOMmy])|(?<=h)W(?![wz]|C?o?[dOMmy])|(?<=[kw])W{ENDS}|W(?=V)|(?<!x)X(?!C?o?[dOMmy])", _weekday),
    (rf"[WX]C?oO|(?<=jo)O(?={ENDS}|[keij])", _day_of_month),
    (rf"{_behind('iAjhgsuo', 1)}B(?![wz]|o+[dOMmyIYHGS])", _weekend),
    (r"(?<=Eo)[UJq]", _this_unit),
    (rf"{_behind('iAfgvsubrE')}Y{NO_COUNT}|Jo?Y{NO_COUNT}|(?<=[UB]o)Y|^Y$|(?<=[jh])Y{ENDS}", _year),
    (r"(?<=[oj])[Mmy](?=[Au]o?[Mmy])", _loose_month),
    (r"(?<=k)Y(?=c)|(?<=[ko])Y(?=w)", _bare_year),
    (r"(?<=[eA])[Mm]|(?<=[eA]o)[Mm]", _loose_month),
    (r"(?<=[eAu])[WX]|(?<=[eAu]o)[WX]", _loose_weekday),
    (rf"(?<=[eAuC])Y{NO_COUNT}", _loose_year),
)
GRAMMAR = re.compile("|".join(f"(?P<g{place}>{one})" for place, (one, _) in enumerate(PATTERNS)))


def references(tokens: list[Token], now: datetime) -> Iterator[Reference]:
    """Yield what the tokens name, in order; what no calendar holds is left out."""
    kinds = "".join(token.kind for token in tokens)
    for match in GRAMMAR.finditer(kinds):
        first, after = match.span()
        if _is_name(kinds, first, after):
            continue
        meaning = PATTERNS[int((match.lastgroup or "g0")[1:])][1]
        with suppress(ValueError, OverflowError):
            reference = meaning(Match(tokens[first:after], now))
            yield replace(reference, first=first, after=after)


def _is_name(kinds: str, first: int, after: int) -> bool:
    """Return whether the words before say that it is a name: `room 2019`, `rue du 8 Mai`."""
    named = kinds[:first].rstrip("o").endswith("K")
    return named and not set(kinds[first:after]) & set("ltnavD")

"""The grammar of time, as patterns over the classes of tokens, and what each of them means."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import cast

from ranking.periods import spans
from ranking.periods.reading import Token
from ranking.periods.spans import Days, Occasion, Which

GUESSED, VAGUE = 0.8, 0.5
WHICH = {"l": Which.LAST, "t": Which.THIS, "n": Which.NEXT}
STEP = {"l": -1, "t": 0, "n": 1}


@dataclass(frozen=True, slots=True)
class Reference:
    """A span of time that tokens name; times are those of the clock where it is asked.

    `occasion` is what it is an occurrence of, where the year was guessed. What is `loose` counts
    only beside another: `June` in `from May to June`.
    """

    start: datetime
    end: datetime
    weight: float = 1.0
    occasion: Occasion | None = None
    loose: bool = False
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
        return 1, 1

    def unit(self) -> str:
        for token in self.tokens:
            if token.kind in "UqBJ":
                return {"J": "year", "q": "quarter"}.get(token.kind) or cast(str, token.value)
        raise ValueError

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
        latest = spans.choose(occasion, Which.LATEST, self.today)
        return replace(self.within(latest, GUESSED), occasion=occasion)


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


def _quarter(match: Match) -> Reference:
    return match.dated(spans.months(match.number("I") * 3 - 2, 3))


def _year(match: Match) -> Reference:
    return match.within(spans.months(1, 12)(match.number("Y")))


def _loose_year(match: Match) -> Reference:
    return replace(_year(match), loose=True)


def _weekday(match: Match) -> Reference:
    which = WHICH[match.direction()] if match.has("ltn") else Which.LAST
    weight = 1.0 if match.has("ltn") else GUESSED
    return match.within(spans.weekday(match.number("WX"), which, match.today), weight)


def _weekday_of_week(match: Match) -> Reference:
    if match.unit() != "week":
        raise ValueError
    week = spans.unit("week", match.today, STEP[match.direction()])
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
    if unit in ("day", "hour"):
        raise ValueError
    begun = spans.unit("weekend", match.today, 0).after > match.today
    if unit == "weekend" and step < 0 and not begun:
        step = 0
    return match.within(spans.unit(unit, match.today, step))


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
    (rf"(?:Ro?o?[Mmy]|[dO]T?[eA]o?[dO]T?o?[Mmy]|[Mmy]R)(?:{IN_YEAR})?", _days_of_month),
    (rf"[dOI]T?o?[Mmy]{IN_YEAR}", _date),
    (rf"[Mmy]o?[dO]{IN_YEAR}", _date),
    (r"(?:Oo?o?[Mmy]|Io[Mmy]|[Mmy]o?O|[dO]To?[Mmy])(?![wz])", _date),
    (rf"(?:do?o?M|Md)(?![Uz])|{_behind('iAjfgvsubroeX')}(?:do?o?[my]|[my]d)(?![Uwz])", _date),
    (rf"(?:do?o?m|(?<!^)md)(?:{ENDS}|(?=k))", _date),
    (rf"{_behind('jfgvsubreoi')}F(?=T)", _dotted),
    (rf"[Mmy]{IN_YEAR}", _month),
    (rf"[SHGQ]{IN_YEAR}", _yearly),
    (rf"Iq(?:{IN_YEAR})?", _quarter),
    (r"(?:[ltn]J|J[ltn])[ioA]{1,2}[Mmy]", _month),
    (r"(?:[ltn]J|J[ltn])[ioA]{0,2}[SHG]", _yearly),
    (r"[WX][ioj]{0,2}(?:[ltn]U|U[ltn])|(?:[ltn]U|U[ltn])[ioj]{1,2}[WX]", _weekday_of_week),
    (r"(?:[ltn][WX]|[WX][ltn]|(?<!x)[WX])[ioA]{0,2}P|tP", _part_of_day),
    (r"[ltn][WX]|[WX][ltn]", _weekday),
    (r"[ln][Mm](?!w)|t[Mm](?![wk])|ly(?!w)|[Mmy][ltn]|[ltn][SHGQ]|[SHGQ][ltn]", _turned),
    (r"(?:[ltn][dN]o?[UJqB]|[dN][ltn][UJqB]|[dN][UJqB][ltn])", _rolling),
    (r"(?:[ltn][UJqB]|[UJqB][ltn])(?!o[Mmy])", _turned_unit),
    (r"[dNo]{1,3}[UJqB]a|v[dNo]{1,3}[UJqB]", _ago),
    (rf"{_behind('fgvsu')}(?:M|m(?![wzc]))|{_behind('iAbr')}[Mmy](?![w])|(?<=E)[Mmy]|(?<=Uo)[Mmy]", _month),
    (r"sv?[dN][UJqB](?!a)", _since),
    (rf"{_behind('iAfgvsubrE')}S(?![wz])", _yearly),
    (rf"{PLACED}H(?![z])|(?<!x)G", _yearly),
    (rf"{_behind('iAfgvsubrE')}Q|^Q|Q{ENDS}", _yearly),
    (rf"{PLACED}W(?!C?o?[dOMmy])|(?<=k)W{ENDS}|(?<!x)X(?!C?o?[dOMmy])", _weekday),
    (rf"{_behind('iAjgsu')}B(?![wz])", _weekend),
    (rf"{_behind('iAfgvsubrE')}Y{NO_COUNT}|Jo?Y{NO_COUNT}", _year),
    (r"(?<=[eA])[Mm]|(?<=[eA]o)[Mm]", _loose_month),
    (rf"(?<=[eAu])Y{NO_COUNT}", _loose_year),
)
GRAMMAR = re.compile("|".join(f"(?P<g{place}>{one})" for place, (one, _) in enumerate(PATTERNS)))


def references(tokens: list[Token], now: datetime) -> Iterator[Reference]:
    """Yield what the tokens name, in order; what no calendar holds is left out."""
    kinds = "".join(token.kind for token in tokens)
    for match in GRAMMAR.finditer(kinds):
        first, after = match.span()
        meaning = PATTERNS[int((match.lastgroup or "g0")[1:])][1]
        with suppress(ValueError, OverflowError):
            reference = meaning(Match(tokens[first:after], now))
            yield replace(reference, first=first, after=after)

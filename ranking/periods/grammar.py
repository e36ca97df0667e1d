"""The grammar of time: patterns over the classes of tokens."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from ranking.periods import meanings
from ranking.periods.matches import PeriodMatch, Reference
from ranking.periods.reading import Token


def _behind(kinds: str, articles: int = 2) -> str:
    """Return a pattern for: behind one of these classes, articles between."""
    return "(?:" + "|".join(f"(?<=[{kinds}]{'o' * count})" for count in range(articles + 1)) + ")"


# Whatever lets a month, a season or a weekday be a time: a preposition.
PLACED = _behind("iAjfgvsubrE")
IN_YEAR = "(?:[oiACe]{0,2}Y|[oiCA]{0,3}(?:[ltn]J|J[ln]))"
ENDS = "(?=[TCp]|$)"
# A weekday of a date, or beside one, is no time of its own.
DATED = "C?o?[dOMmy]|[fgv]o?[dOMmyDHG]"
# A number that counts something, or stands beside another, is no year.
NO_COUNT = "(?![UzdNYqB])"
PATTERNS: tuple[tuple[str, Callable[[PeriodMatch], Reference]], ...] = (
    ("D[ioA]{0,2}P", meanings.part_of_day),
    ("(?<!K)D", meanings.itself),
    ("(?<=[oi])Z", meanings.decade),
    (rf"(?:Ro?o?[Mmy]|[dO]T?[eAu]o?[dO]T?o?[Mmy]|[Mmy]R)(?:{IN_YEAR})?", meanings.days_of_month),
    (rf"[dOI]T?o?[Mmy]T?{IN_YEAR}", meanings.date),
    (rf"[Mmy]T?o?[dO]{IN_YEAR}", meanings.date),
    (r"(?:Oo?o?[Mmy]|Io[Mmy]|[Mmy]T?o?O|[dO]To?[Mmy])(?![wz])", meanings.date),
    (
        rf"(?:do?o?M|MT?d)(?![Uz])|{_behind('iAjhfgvsubroeX')}(?:do?o?[my]|[my]T?d)(?![Uwz])"
        rf"|{_behind('iAjo', 1)}mT?d(?!U)",
        meanings.date,
    ),
    (r"(?:do?o?m|md)(?![Uwzd])", meanings.date),
    (rf"{_behind('jhfgvsubreoi')}F(?=T)", meanings.dotted),
    (rf"[Mmy]T?{IN_YEAR}", meanings.month),
    (rf"[SHGQ]{IN_YEAR}", meanings.yearly),
    (rf"Iq(?:{IN_YEAR})?", meanings.quarter),
    (r"(?:[ltn]J|J[ln])[ioA]{1,2}[Mmy]", meanings.month),
    (r"(?:[ltn]J|J[ln])[ioA]{0,2}[SHG]", meanings.yearly),
    (
        r"[WX][ioj]{0,2}(?:[ltn]U|U[ln]|[dNo]{1,3}Ua|v[dNo]{1,2}U)"
        r"|(?:[ltn]U|U[ln]|[dNo]{1,3}Ua|v[dNo]{1,2}U)[ioj]{1,2}[WX]",
        meanings.weekday_of_week,
    ),
    (r"(?:[ltn][WX]|[WX][ln]|(?<!x)[WX])[ioA]{0,2}P|tP", meanings.part_of_day),
    (r"[ltn][WX]|[WX][ln]", meanings.weekday),
    (r"[ln][Mm](?!w)|t[Mm](?![wk])|ly(?!w)|[Mmy][ln]|[ltn][SHGQ]|[SHGQ][ln]", meanings.turned),
    (r"(?:[ltn][dN]o?[UJqB]|[dN][ltn][UJqB]|[dN][UJqB][ln])", meanings.rolling),
    (r"(?:(?<=o)|t)l[UJq](?!o+[MmyYSltnJ])", meanings.rolling),
    (r"(?:[ltn][UJqB]|[UJqB][ln])(?!o+[MmyYSltn])", meanings.turned_unit),
    (r"[dNo]{1,3}[UJ]aD", meanings.day_ago),
    (r"[dN]La", meanings.years_ago),
    (r"[dNo]{1,3}[UJqB]a|v[dNo]{1,3}[UJqB]", meanings.ago),
    (rf"{_behind('fgvsu')}(?:M|m(?![wzc]))|{_behind('iAbr')}[Mmy](?![wdO])", meanings.month),
    (r"(?<=E)[Mmy]|(?<=[UB]o)[Mmy]|M(?=V)", meanings.month),
    (r"sv?[dN][UJqB](?!a)", meanings.since),
    (rf"{_behind('iAhfgvsubrE')}S(?!o?[wz]|ok)", meanings.yearly),
    (rf"{_behind('iAjhfgvsubrE')}H(?!z)|(?<!x)G", meanings.yearly),
    (rf"{_behind('iAfgvsubrE')}Q|^Q|Q{ENDS}", meanings.yearly),
    (
        rf"{PLACED}W(?!{DATED})|(?<=h)W(?![wz]|{DATED})|(?<=[kw])W{ENDS}|W(?=V)"
        rf"|(?<!x)X(?!{DATED})",
        meanings.weekday,
    ),
    (rf"[WX]C?oO|(?<=jo)O(?={ENDS}|[keij])", meanings.day_of_month),
    (rf"{_behind('iAjhgsuo', 1)}B(?![wz]|o+[dOMmyIYHGS]|{DATED})", meanings.weekend),
    (r"(?<=Eo)[UJq]", meanings.this_unit),
    (
        rf"{_behind('iAfgvsubrE')}Y{NO_COUNT}|Jo?Y{NO_COUNT}|(?<=[UB]o)Y|^Y$|(?<=[jh])Y{ENDS}",
        meanings.year,
    ),
    (r"(?<=[oj])[Mmy](?=[Au]o?[Mmy])", meanings.loose_month),
    (r"(?<=k)Y(?=c)|(?<=[ko])Y(?=w)", meanings.bare_year),
    (r"(?<=[eA])[Mm]|(?<=[eA]o)[Mm]", meanings.loose_month),
    (r"(?<=[eAu])[WX]|(?<=[eAu]o)[WX]", meanings.loose_weekday),
    (rf"(?<=[eAuC])Y{NO_COUNT}", meanings.loose_year),
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
            reference = meaning(PeriodMatch(tokens[first:after], now))
            yield replace(reference, first=first, after=after)


def _is_name(kinds: str, first: int, after: int) -> bool:
    """Return whether the words before say that it is a name: `room 2019`, `rue du 8 Mai`."""
    named = kinds[:first].rstrip("o").endswith("K")
    return named and not set(kinds[first:after]) & set("ltnavD")

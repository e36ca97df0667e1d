"""Dates as a model gives them, held against the time of the message, and those it left relative."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

PART = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?)?)?\Z")
# No fact of a life is older, and no plan reaches further.
LONGEST_AGO, FURTHEST = timedelta(days=130 * 366), timedelta(days=80 * 366)
# Words that mean another day tomorrow: a statement that has one does not stand alone.
RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:last|next|this) (?:night|week|month|year|weekend"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|in (?:a|one|two|three|four|five|six|ten|\d+)"
    r" (?:days?|weeks?|months?)(?: time)?(?= *(?:[.,;]|\Z))|(?:days?|weeks?|months?|years?) ago"
    r"|heute|(?<!jeden )(?<!am )(?<!guten )morgen(?= *(?:[.,;]|\Z))|gestern|übermorgen|(?:nächste|letzte|diese)[nrs]? "
    r"(?:woche|monat|jahr)|hoy|(?<!la )mañana(?= *(?:[.,;]|\Z))|ayer|la (?:próxima|semana pasada)"
    r"|aujourd'hui|demain|hier (?:soir|matin)|la semaine (?:prochaine|dernière)|domani|ieri|amanhã|ontem"
    r"|сегодня|завтра|вчера)\b|今天|明天|昨天|今日|明日|昨日",
    re.IGNORECASE,
)


class DateUnfit(ValueError):
    """It is no date, or one that the message's own time speaks against."""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The first and the last day of what was named: a day, a month, a year, or two around a `/`."""

    first: date
    last: date


def read_span(text: str, *, said_on: date) -> DateSpan:
    """Return the days that a text names. Raises DateUnfit."""
    pieces = [_days(piece.strip()) for piece in text.split("/")]
    if len(pieces) > 2:
        raise DateUnfit("more than two ends")
    span = DateSpan(pieces[0].first, pieces[-1].last)
    is_near = said_on - LONGEST_AGO < span.first <= span.last < said_on + FURTHEST
    if not is_near:
        raise DateUnfit("out of order, or out of a life")
    return span


def is_relative(statement: str) -> bool:
    """Return whether a statement names a day only by its distance from the day it was said."""
    return RELATIVE.search(statement.replace("\u2019", "'")) is not None


def _days(text: str) -> DateSpan:
    found = PART.match(text)
    if found is None:
        raise DateUnfit("no date")
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
        return DateSpan(first, first if day else _last_day(first, month))
    except ValueError as error:
        raise DateUnfit("no such day") from error


def _last_day(first: date, month: int | None) -> date:
    if month is None:
        return date(first.year, 12, 31)
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)

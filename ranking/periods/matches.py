"""The grammar of time, as patterns over the classes of tokens, and what each of them means."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import cast

from ranking.periods import spans
from ranking.periods.languages.calendar import FEW
from ranking.periods.reading import Token
from ranking.periods.spans import Days, Occasion, Which

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


class PeriodMatch:
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

    def moment(self, day: date, hour: int = 0) -> datetime:
        return datetime.combine(day, time(), self.now.tzinfo) + timedelta(hours=hour)

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

"""A period that words name."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open span in UTC; None is an open side.

    `weight` is how surely the words mean it, 0 to 1: a date with its year is 1, `recently` 0.3.
    `words` are the places of its first and after its last character in the text.
    """

    start: datetime | None
    end: datetime | None
    weight: float
    words: tuple[int, int]

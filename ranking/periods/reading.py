"""A text as tokens of time: each with its class, its value and its place."""

import re
from datetime import date
from typing import NamedTuple

from ranking.languages import is_stop_word
from ranking.periods import spans
from ranking.periods.vocabulary import BEHIND_ONLY, LOWER_ONLY, fold, vocabulary

# Runs are taken whole, so that a date within a longer number or identifier is none.
TOKEN = re.compile(r"\w+(?:[-./:@]\w+)*|[^\w\s]")
LETTERS = re.compile(r"[^\W\d_]+")
DIGIT = re.compile(r"\d")
MARKS = {"'s": "V", ".": "T", ",": "C", "\u2013": "e", "\u2014": "e", "-": "e"}
APOSTROPHES = "'\u2019"
# What makes a number a sum, a name or a share.
BEFORE, BEHIND = "#$€£+@*", "%€$£°"

ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[Tt][\d:.]+[Zz]?)?")
NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)")
MONTH = re.compile(r"(\d{1,2})[/.](\d{4})|(\d{4})[-/](\d\d)")
YEARS = re.compile(r"(\d{4})[-/](\d{4})")
SEASON_YEARS = re.compile(r"(\d{4})[-/](\d\d)")
DECADE = re.compile(r"(\d{3})0(?:s|ern?)")
SHORT_DECADE = re.compile(r"([6-9])0(?:s|ern?)")
QUARTER = re.compile(r"([qh])([1-4])(?:[/-](\d{4}))?|(\d{4})-?([qh])([1-4])", re.IGNORECASE)
ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª|o)", re.IGNORECASE)
DAYS = re.compile(r"(\d{1,2})-(\d{1,2})")
DAY_MONTH = re.compile(r"(\d{1,2})\.(\d{1,2})")
SHORT_YEAR = re.compile(r"\s?['\u2019]\d\d")
FIRST_YEAR, LAST_YEAR = 1900, 2099
MOST_DIGITS = 3


class Token(NamedTuple):
    kind: str
    value: object
    start: int
    end: int


def read(text: str, language: str) -> list[Token]:
    """Return the tokens of a text in one language, phrases as one."""
    words: list[tuple[str, int]] = []
    for match in TOKEN.finditer(text):
        run, start = match[0], match.start()
        if DIGIT.search(run):
            words.append((run, start))
        elif run == "s" and text[start - 1 : start] in tuple(APOSTROPHES):
            words.append(("'s", start))
        elif run not in APOSTROPHES:
            pieces = [(piece[0], start + piece.start()) for piece in LETTERS.finditer(run)]
            words += pieces or [(run, start)]
    return _tokens(text, words, language)


def _tokens(text: str, words: list[tuple[str, int]], language: str) -> list[Token]:
    tokens: list[Token] = []
    known = vocabulary(language)
    folded = [fold(word).strip("'") for word, _ in words]
    place = 0
    while place < len(words):
        word, start = words[place]
        size = 1
        kind, value = "w", None
        behind = BEHIND_ONLY.get((language, folded[place]))
        if behind and not (place and folded[place - 1] in behind):
            kind = "c"
        elif DIGIT.search(word):
            kind, value = _number(text, word, start, language)
        else:
            for entry in known.get(folded[place], ()):
                if tuple(folded[place + 1 : place + 1 + len(entry.rest)]) == entry.rest:
                    kind, value, size = entry.kind, entry.value, len(entry.rest) + 1
                    break
            else:
                kind = _other(word, place, language)
            kind = _cased(kind, word, language)
            named = tokens and tokens[-1].kind in "cK" and word[0].isupper()
            if named and (kind == "D" or (kind == "X" and language != "german")):
                kind = "c"
        last, at = words[place + size - 1]
        tokens.append(Token(kind, value, start, at + len(last)))
        place += size
    return tokens


def _other(word: str, place: int, language: str) -> str:
    if not word[0].isalpha():
        return MARKS.get(word, "p")
    if is_stop_word(word.casefold(), language):
        return "k"
    # Where nouns stand together unbound (`spring onions`), the next word tells what one means.
    if language != "english" or (place and word[0].isupper()):
        return "c"
    return "z" if len(word) > 3 and word.endswith("s") else "w"


def _cased(kind: str, word: str, language: str) -> str:
    if kind == "y" and word[0].isupper():
        return "m"
    if kind in "mW" and len(word) <= 3 and language == "english" and not word[0].isupper():
        return "y"
    return "w" if (language, fold(word)) in LOWER_ONLY and word[0].isupper() else kind


def _number(text: str, run: str, start: int, language: str) -> tuple[str, object]:
    end = start + len(run)
    if (start and text[start - 1] in BEFORE) or text[end : end + 1] in tuple(BEHIND):
        return "w", None
    if not run.isascii():
        return "w", None
    if run.isdigit():
        short = len(run) == 2 and SHORT_YEAR.fullmatch(text, max(start - 2, 0), end)
        return ("Y", (2000 if int(run) < 70 else 1900) + int(run)) if short else _digits(run)
    for reader in (_date, _month, _years, _decade, _quarter, _ordinal, _days):
        read = reader(run, language)
        if read:
            return read
    return "w", None


def _digits(run: str) -> tuple[str, object]:
    number = int(run) if len(run) <= 4 else -1
    if len(run) == 4 and FIRST_YEAR <= number <= LAST_YEAR:
        return "Y", number
    if 1 <= number <= 31:
        return "d", number
    return ("N", (number, number)) if number > 0 and len(run) <= MOST_DIGITS else ("w", None)


def _span(year: int, month: int, day: int) -> tuple[str, object] | None:
    try:
        return "D", ("days", spans.days(month, day)(year))
    except (ValueError, OverflowError):
        return None


def _date(run: str, language: str) -> tuple[str, object] | None:
    if match := ISO.fullmatch(run):
        return _span(int(match[1]), int(match[3]), int(match[4]))
    match = NUMERIC.fullmatch(run)
    if not match:
        return None
    day, month, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        if match[2] == "-" or (match[2] == "." and language == "english"):
            return None
        year += 2000 if year < 70 else 1900
    # 5/3/2023 is written month first where English is; 25/3/2023 can only be a day first.
    if (language == "english" and match[2] == "/" and day <= 12) or month > 12:
        day, month = month, day
    return _span(year, month, day)


def _month(run: str, language: str) -> tuple[str, object] | None:
    match = MONTH.fullmatch(run)
    if not match:
        return None
    month, year = int(match[1] or match[4]), int(match[2] or match[3])
    if not (1 <= month <= 12 and FIRST_YEAR <= year <= LAST_YEAR):
        return None
    return "D", ("days", spans.months(month)(year))


def _years(run: str, language: str) -> tuple[str, object] | None:
    match = SEASON_YEARS.fullmatch(run)
    if match and (int(match[1]) + 1) % 100 == int(match[2]):
        return "Y", int(match[1])
    match = YEARS.fullmatch(run)
    if not match or not FIRST_YEAR <= int(match[1]) < int(match[2]) <= LAST_YEAR:
        return None
    return "D", ("days", spans.Days(date(int(match[1]), 1, 1), date(int(match[2]) + 1, 1, 1)))


def _decade(run: str, language: str) -> tuple[str, object] | None:
    if match := SHORT_DECADE.fullmatch(run):
        return "Z", 1900 + 10 * int(match[1])
    match = DECADE.fullmatch(run)
    year = int(match[1]) * 10 if match else 0
    return ("D", ("days", spans.months(1, 120)(year))) if year >= FIRST_YEAR else None


def _quarter(run: str, language: str) -> tuple[str, object] | None:
    match = QUARTER.fullmatch(run)
    if not match:
        return None
    letter, number = (match[1] or match[5]).lower(), int(match[2] or match[6])
    size = 3 if letter == "q" else 6
    if number * size > 12:
        return None
    occasion = spans.months((number - 1) * size + 1, size)
    year = int(match[3] or match[4] or 0)
    return ("D", ("days", occasion(year))) if year >= FIRST_YEAR else ("Q", occasion)


def _ordinal(run: str, language: str) -> tuple[str, object] | None:
    match = ORDINAL.fullmatch(run)
    return ("O", int(match[1])) if match and 1 <= int(match[1]) <= 31 else None


def _days(run: str, language: str) -> tuple[str, object] | None:
    if (match := DAYS.fullmatch(run)) and 1 <= int(match[1]) < int(match[2]) <= 31:
        return "R", (int(match[1]), int(match[2]))
    if (match := DAY_MONTH.fullmatch(run)) and 1 <= int(match[2]) <= 12:
        return "F", (int(match[1]), int(match[2]))
    return None

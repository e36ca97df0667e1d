"""The words of time in six languages, each with its class, one character, and its value.

The grammar is written over the classes, so that a language is added as a table:

D a span by itself        M month       m the name of a person, too   y a verb, too
W weekday   X the same, in a language that needs no preposition      S season   H holiday
G the same, by itself     P part of the day    Q quarter   q `quarter`  B weekend  U unit  J year
N number    d day number  O ordinal  I ordinal in words  Y year  R range of days
l last      t this        n next     a ago, after          v ago, before
i in        j on, at     h for       o the, of  e and, to  b between  r from
f before    g after       s since    u until    A in, or to  E a part of
x every     K names a number, not a time    k small word   w word   z plural   c name
L seasons   V possessive   Z decade   F day and month   T full stop   C comma   p other mark
"""

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ranking.periods.languages import english, french, german, italian, portuguese, spanish
from ranking.periods.languages.calendar import Table


class VocabularyEntry(NamedTuple):
    rest: tuple[str, ...]
    kind: str
    value: object


TABLES: dict[str, Table] = {
    "english": english.TABLE,
    "german": german.TABLE,
    "french": french.TABLE,
    "spanish": spanish.TABLE,
    "italian": italian.TABLE,
    "portuguese": portuguese.TABLE,
}
# Words that are something else but behind these: `été` is `been`, too.
BEHIND_ONLY = {("french", "ete"): frozenset({"l", "en", "cet", "d", "dernier", "prochain"})}
# Words that are something else when they begin with a capital.
LOWER_ONLY = frozenset({("german", "morgen")})
TELLING = "MmyWXSHGPQqBUJD"
# Classes whose values count up: the class and the first value.
SERIES = {"months": ("M", 1), "W": ("W", 0), "X": ("X", 0), "numbers": ("N", 2)}


def fold(word: str) -> str:
    """Return a word in lower case, without its accents."""
    word = word.casefold()
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


@cache
def vocabulary(language: str) -> dict[str, tuple[VocabularyEntry, ...]]:
    """Return the entries by their first word, the longest phrase first; empty if unknown."""
    entries: dict[str, list[VocabularyEntry]] = {}
    for kind, phrase, value in _rows(TABLES.get(language, {})):
        first, *rest = phrase.split()
        entries.setdefault(first, []).append(VocabularyEntry(tuple(rest), kind, value))
    return {
        first: tuple(sorted(ones, key=lambda entry: -len(entry.rest)))
        for first, ones in entries.items()
    }


@cache
def telling() -> frozenset[str]:
    """Return the words without one of which, or a digit, a text names no time."""
    return frozenset(
        max(phrase.split(), key=len)
        for table in TABLES.values()
        for kind, phrase, _ in _rows(table)
        if kind in TELLING
    )


def _rows(table: Table) -> Iterator[tuple[str, str, object]]:
    """Yield the class, the phrase and the value of each entry of a language."""
    for kind, listed in table.items():
        if kind in SERIES:
            yield from _series(table, *SERIES[kind], str(listed))
        elif isinstance(listed, dict):
            for value, phrases in listed.items():
                yield from ((kind, phrase, value) for phrase in phrases.split(", "))
        elif kind not in ("m", "y"):
            yield from ((kind, phrase, None) for phrase in _phrases(str(listed)))


def _series(table: Table, kind: str, begin: int, listed: str) -> Iterator[tuple[str, str, object]]:
    weak = {word: mark for mark in "my" for word in str(table.get(mark, "")).split()}
    for number, forms in enumerate(listed.split(), begin):
        for form in forms.split("/"):
            value = (number, number) if kind == "N" else number
            yield weak.get(form, kind) if kind == "M" else kind, form.replace("_", " "), value


def _phrases(listed: str) -> list[str]:
    """Return phrases parted by commas, or, where there is none, words."""
    return [one.strip() for one in listed.split(",")] if "," in listed else listed.split()

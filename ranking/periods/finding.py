"""Finds the periods that a question names."""

import re
from datetime import datetime
from itertools import islice

from ranking.languages import DEFAULT, detect
from ranking.periods.grammar import references
from ranking.periods.period import Period
from ranking.periods.reading import read
from ranking.periods.relations import related
from ranking.periods.vocabulary import fold, telling

WORD = re.compile(r"[^\W\d_]+")
# `Recently` says nothing where a date stands beside it.
FAINT = 0.3
# Who names more periods than this asks for none of them in particular.
MOST = 16
DIGIT = re.compile(r"\d")


def periods(text: str, *, asked_at: datetime, language: str) -> list[Period]:
    """Return the first periods a text names, in its order; without a year, the latest that has begun.

    Days begin and end in the zone of `asked_at`, which must have one. The text is read in the
    given language, else in the one it looks like, else in English: English, German, French,
    Spanish, Italian and Portuguese are known; of others, dates in digits.
    """
    if not _may_name_time(text):
        return []
    for tongue in dict.fromkeys((language, detect(text, language), DEFAULT)):
        tokens = read(text, tongue)
        found = related(tokens, list(islice(references(tokens, asked_at), MOST)))
        if found:
            return [period for period in found if period.weight > FAINT] or found
    return []


def _may_name_time(text: str) -> bool:
    folded = fold(text)
    return bool(DIGIT.search(folded)) or not telling().isdisjoint(WORD.findall(folded))

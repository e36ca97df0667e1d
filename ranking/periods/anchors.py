"""The events that a question is dated by: `before we moved`, `after the wedding`."""

import re
from typing import Literal, NamedTuple

from ranking.languages import detect
from ranking.periods.grammar import GRAMMAR
from ranking.periods.reading import read

Relation = Literal["before", "after", "since", "until"]


class Anchor(NamedTuple):
    """An event, in the question's own words, and where the time asked for lies from it."""

    relation: Relation
    words: str


# Of each language: what relates, then what ends the clause besides a mark.
RELATIONS: dict[str, dict[str, Relation]] = {
    "english": {
        **{"before": "before", "prior to": "before", "after": "after", "since": "since"},
        **{"until": "until", "till": "until"},
    },
    "german": {
        **{"bevor": "before", "vor der": "before", "vor dem": "before", "vor unserer": "before"},
        **{"nachdem": "after", "nach der": "after", "nach dem": "after", "seitdem": "since"},
        **{"seit der": "since", "seit dem": "since", "seit wir": "since", "seit ich": "since"},
        **{"bis zur": "until", "bis zum": "until"},
    },
    "french": {
        **{"avant que": "before", "avant de": "before", "avant": "before", "après": "after"},
        **{"depuis que": "since", "depuis": "since", "jusqu'à": "until", "jusqu'au": "until"},
    },
    "spanish": {
        **{"antes de": "before", "antes del": "before", "después de": "after"},
        **{"después del": "after", "desde que": "since", "hasta que": "until"},
    },
}
# The same word in other senses: `after all`, `the day before`, `look after`, `since when`.
NO_EVENT = re.compile(
    r"(?:all|that|this|it|then|now|long|me|you|him|her|us|them|when|not|even|and|or|again|lunch"
    r"|dinner|breakfast|supper|work|school|bed|bedtime|sleep|sleeping|noon|midnight|meals|eating"
    r"|dark|everything|anything|something|tax|sunset|sunrise|who|what|dans|quoi|tout|cela|eso|todo|allem|essen)\b",
    re.IGNORECASE,
)
OTHER_SENSE = re.compile(
    r"\b(?:look(?:s|ed|ing)?|nam(?:ed|e)|call(?:ed|s)?|tak(?:e|es|ing)|as|the|before and"
    r"|put|go(?:es)?|run(?:s|ning)?|chas(?:e|es|ed|ing)) $",
    re.IGNORECASE,
)
QUESTION = re.compile(
    r"\s(?:what|who|whom|whose|where|which|how|why|when|wer|wo|wie"
    r"|welche[rs]?|qui|quoi|où|comment|qué|quién|dónde|cómo)\s",
    re.IGNORECASE,
)
MARK = re.compile(r"[,.;:!?¿¡()\n\"]| [-\u2013\u2014] ")
ARTICLE = re.compile(r"(?:the|a|an|my|our|his|her|their)\s+", re.IGNORECASE)
LONGEST = 100


def anchors(text: str) -> list[Anchor]:
    """Return the events that stand after `before`, `after`, `since` or `until`, in order.

    A date there is a period and no event (see `periods`), and a meal or bedtime is none either.
    """
    language = detect(text)
    relations = RELATIONS.get(language, {})
    if not relations:
        return []
    named = "|".join(sorted(map(re.escape, relations), key=len, reverse=True))
    found = []
    for match in re.finditer(rf"\b({named})\s+", text, re.IGNORECASE):
        clause = _clause(text[match.end() : match.end() + LONGEST])
        if _is_event(text[: match.start()][-20:], clause, language):
            relation = relations[re.sub(r"\s+", " ", match[1].lower())]
            found.append(Anchor(relation, clause))
    return found


def _clause(rest: str) -> str:
    """Return the words up to the next mark, or to the question that they are dated for."""
    mark = MARK.search(rest)
    clause = rest[: mark.start()] if mark else rest
    question = QUESTION.search(clause)
    return (clause[: question.start()] if question else clause).strip()


def _is_event(before: str, clause: str, language: str) -> bool:
    event = ARTICLE.sub("", clause, count=1)
    if not event or NO_EVENT.match(clause) or NO_EVENT.match(event) or OTHER_SENSE.search(before):
        return False
    # Read behind a relation, so that a month or a year at its head is taken for a time.
    kinds = "f" + "".join(token.kind for token in read(clause, language))
    head = 1 + len(kinds[1:]) - len(kinds[1:].lstrip("oE"))
    return not any(match.start() <= head for match in GRAMMAR.finditer(kinds))

"""How much each item of an inbox matters to a user: the contract, and the offline model's rules.

The rules compare words: with what the user said matters, and what does not, with their goals and
projects, and with the people they know.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from providers.answers import Contract, Reference, Text
from providers.chat import Answer, Line, Task
from ranking.languages import detect
from ranking.tokens import index_terms

MOST_ITEMS = 50
REASON_CHARACTERS = 240
BASE, GUIDANCE, GOAL, PROJECT, KNOWN = 0.2, 0.4, 0.2, 0.2, 0.2
UNWANTED = 0.1
# A sentence of the guidance that says what does not matter.
NEGATIVE = re.compile(
    r"\b(?:ignore|skip|never|not|don'?t|no|unimportant|irrelevant|low priority|spam"
    r"|ignoriere|nicht|nie|kein|keine|unwichtig)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
GOALS, PROJECTS = re.compile(r"goal|objective|ziel", re.I), re.compile(r"project|projekt", re.I)
# Words of a guidance that name no topic.
PLAIN = frozenset({"import", "urgent", "matter", "alway", "prioriti", "mail", "email", "messag"})


class ItemScore(Contract):
    """How much an item matters, from 0 to 1, and why in one sentence."""

    ref: Reference
    score: Annotated[float, Field(ge=0, le=1, strict=False, allow_inf_nan=False)]
    reason: Annotated[str, Text, Field(max_length=REASON_CHARACTERS)]


class InboxScores(Contract):
    """One score for each item that was shown."""

    scores: Annotated[list[ItemScore], Field(max_length=MOST_ITEMS)]


@dataclass(frozen=True, slots=True)
class _Interest:
    """What a match with certain words weighs, and how it is said."""

    weight: float
    said: str
    terms: frozenset[str]


def inbox_scores(task: Task[Answer]) -> Mapping[str, object]:
    """Score the items by what the task knows: guidance, narrative and profile as one JSON object."""
    known = _object(task.known)
    wanted, unwanted = _guidance(str(known.get("guidance", "")))
    profile = known.get("profile")
    interests = [
        _Interest(GUIDANCE, "the guidance", wanted),
        _Interest(GOAL, "a goal", _under(profile, GOALS)),
        _Interest(PROJECT, "a project", _under(profile, PROJECTS)),
    ]
    everything = _terms([str(known.get("narrative", "")), *_words_of(profile)])
    return {"scores": [_score(line, interests, unwanted, everything) for line in task.lines]}


def _score(
    line: Line, interests: list[_Interest], unwanted: frozenset[str], everything: frozenset[str]
) -> Mapping[str, object]:
    item = _object(line.text)
    words = _terms(str(item.get(name, "")) for name in ("sender", "subject", "text"))
    hit = [one for one in interests if words & one.terms]
    score = BASE + sum(one.weight for one in hit)
    reasons = [f"touches {one.said}: {_some(words & one.terms)}" for one in hit]
    sender = _terms([str(item.get("sender", "")).split("@")[0]]) & everything
    if sender:
        score, reasons = score + KNOWN, [*reasons, f"the sender is known: {_some(sender)}"]
    if words & unwanted:
        score, reasons = UNWANTED, [f"the guidance sets it aside: {_some(words & unwanted)}"]
    reason = "; ".join(reasons) or "nothing known of the user speaks for it"
    return {
        "ref": line.ref,
        "score": round(min(score, 1.0), 2),
        "reason": reason[:REASON_CHARACTERS],
    }


def _guidance(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of what matters, and of what does not."""
    sentences = [one for one in SENTENCE.split(text) if one.strip()]
    unwanted = _terms(one for one in sentences if NEGATIVE.search(one))
    wanted = _terms(one for one in sentences if not NEGATIVE.search(one))
    return wanted - PLAIN, unwanted - wanted - PLAIN


def _under(data: object, key: re.Pattern[str]) -> frozenset[str]:
    """Return the words below keys of this name, at any depth."""
    if not isinstance(data, Mapping):
        return frozenset()
    found: frozenset[str] = frozenset()
    for name, value in data.items():
        found |= _terms(_words_of(value)) if key.search(name) else _under(value, key)
    return found


def _words_of(data: object) -> Iterator[str]:
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield str(name)
            yield from _words_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from _words_of(value)
    elif isinstance(data, str):
        yield data


def _terms(texts: Iterable[str]) -> frozenset[str]:
    found = " \n".join(texts)
    language = detect(found, "english")
    return frozenset(term for term in index_terms(found, language) if not term.isdigit())


def _some(words: Iterable[str]) -> str:
    return ", ".join(sorted(words)[:3])


def _object(text: str) -> Mapping[str, object]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}

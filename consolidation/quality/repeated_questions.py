"""Which questions of an assistant its memory could have answered (pure)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ranking.languages import is_stop_word, stem
from ranking.tokens import meaningful

QUESTION = re.compile(r"[^.!?\n\u3002\uff1f\u061f]{1,400}[?\uff1f\u061f]")
# Of whom and how it is asked says nothing of what.
ASKING = frozenset(
    [
        "what",
        "which",
        "where",
        "when",
        "who",
        "whom",
        "whose",
        "how",
        "why",
        "do",
        "does",
        "did",
        "are",
        "is",
        "was",
        "were",
        "can",
        "could",
        "would",
        "will",
        "you",
        "your",
        "yours",
        "tell",
        "remind",
        "know",
        "like",
        "please",
        "called",
        "kind",
        "type",
    ]
)


def questions(text: str) -> list[str]:
    """Return the sentences of a text that ask something."""
    return [found.strip() for found in QUESTION.findall(text)]


def is_known(question: str, known: Iterable[frozenset[str]], language: str) -> bool:
    """Say whether one known item has every word of a question that says what it is about.

    A question without such a word asks about nothing that is kept.
    """
    asked = stems(question, language)
    return bool(asked) and any(asked <= item for item in known)


def stems(text: str, language: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about."""
    return frozenset(_stems(meaningful(text), language))


def _stems(tokens: Sequence[str], language: str) -> Iterator[str]:
    for token in tokens:
        if token not in ASKING and not is_stop_word(token, language):
            yield stem(token, language)

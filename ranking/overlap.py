"""Texts as they are compared when a session bears a candidate out (pure)."""

from dataclasses import dataclass

from ranking.languages import is_stop_word, stem
from ranking.similarity import jaccard
from ranking.tokens import meaningful, tokens

ALIKE_JACCARD = 0.5
ALIKE_TOKENS = 3
BORDER = "\x1f"


@dataclass(frozen=True, slots=True)
class Words:
    """What a text says: the tokens that mean something, their stems, and all stems in a row."""

    said: frozenset[str]
    stems: frozenset[str]
    row: str


def words(text: str, language: str) -> Words:
    said = frozenset(one for one in meaningful(text) if not is_stop_word(one, language))
    row = BORDER.join(stem(one, language) for one in tokens(text))
    return Words(said, frozenset(stem(one, language) for one in said), f"{BORDER}{row}{BORDER}")


def shared(first: Words, second: Words) -> int:
    """Return how many tokens two texts share, as they are or by their stems."""
    return max(len(first.said & second.said), len(first.stems & second.stems))


def are_alike(first: Words, second: Words) -> bool:
    """Say whether two texts share half of their tokens, or three."""
    likeness = max(jaccard(first.said, second.said), jaccard(first.stems, second.stems))
    return likeness >= ALIKE_JACCARD or shared(first, second) >= ALIKE_TOKENS


def contains(text: Words, part: Words) -> bool:
    """Say whether the words of `part` stand in the text in a row; what says nothing stands nowhere."""
    return bool(part.said) and part.row in text.row

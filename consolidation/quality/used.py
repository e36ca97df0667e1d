"""Which injected facts an answer used (pure)."""

from collections.abc import Sequence

from consolidation.quality.repeated_questions import stems

# Of the words that the fact adds to what the user said, the answer has this share.
USED = 0.5


def used_count(items: Sequence[str], reply: str, asked: str, language: str) -> int:
    """Return how many of the items a reply used: words of theirs that the question did not have.

    An item that adds no word to the question counts as unused: the reply may have it from there.
    """
    said, known = stems(reply, language), stems(asked, language)
    return sum(is_used(stems(item, language) - known, said) for item in items)


def is_used(added: frozenset[str], said: frozenset[str]) -> bool:
    return bool(added) and len(added & said) / len(added) >= USED

"""The words an entry is found by: a rule of their own, which a stored index must never outgrow."""

import re
import unicodedata

ASCII_WORD = re.compile(r"[a-z0-9]{2,}")
SHORTEST = 2
# Longer runs are keys and noise, and an index of the database would refuse them.
LONGEST = 200
STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "how",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "that",
        "the",
        "their",
        "them",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "who",
        "will",
        "with",
        "you",
        "your",
    ]
)


def tokens(text: str) -> list[str]:
    """Return the alphanumeric runs of at least two characters, lower-case, without stop words.

    Marks that write a vowel or an accent belong to their letter. A run without spaces, as of Han,
    is one token.
    """
    folded = unicodedata.normalize("NFC", text).lower()
    words = ASCII_WORD.findall(folded) if folded.isascii() else _runs(folded)
    return [word[:LONGEST] for word in words if word not in STOP_WORDS]


def entry_tokens(name: str, content: str) -> list[str]:
    """Return the tokens of an entry: of its content and its name, and of no alias."""
    return tokens(f"{name}\n{content}")


def _runs(text: str) -> list[str]:
    kept = "".join(sign if _is_alphanumeric(sign) else " " for sign in text)
    return [run for run in kept.split(" ") if len(run) >= SHORTEST]


def _is_alphanumeric(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign)[0] == "M"

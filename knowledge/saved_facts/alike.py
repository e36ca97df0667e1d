"""Whether two wordings say one thing, by their words alone (pure).

A vector is alike where a number, a name or a negation differs: "Invoice 1001 is paid" and "Invoice
1002 is paid" are. So only what says nothing may differ between two facts that are one.
"""

from ranking.tokens import tokens

# Articles: no statement turns on them.
SILENT = frozenset(
    {"a", "an", "the", "der", "die", "das", "ein", "eine", "el", "la", "los", "las", "le", "les"}
)


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts have the same words in the same order, articles and signs aside."""
    return _said(one) == _said(other)


def _said(text: str) -> list[str]:
    return [word for word in tokens(text.replace("\u2019", "'")) if word not in SILENT]

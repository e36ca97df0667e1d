"""How alike two texts or two vectors are."""

import math
from collections.abc import Iterable, Sequence


def jaccard(first: Iterable[str], second: Iterable[str]) -> float:
    """Return the shared part of two sets of tokens, 0 to 1; two empty sets share nothing."""
    left, right = set(first), set(second)
    union = left | right
    return len(left & right) / len(union) if union else 0.0


def token_recall(query: Iterable[str], record: Iterable[str]) -> float:
    """Return the share of the query's tokens that the record has; 0 for an empty query."""
    wanted = set(query)
    return len(wanted & set(record)) / len(wanted) if wanted else 0.0


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the cosine of two vectors of one dimension; 0 when either has no direction."""
    lengths = math.hypot(*first) * math.hypot(*second)
    return sum(a * b for a, b in zip(first, second, strict=True)) / lengths if lengths else 0.0

"""How salient a saved fact is, and what that does to its place in a ranking (pure)."""

import math
from collections.abc import Sequence

MOST = 10.0
LEAST = 0.01
KEPT = 0.95
DAILY_LOSS = 0.05
LEAST_RECENCY = 0.1
VECTOR_WEIGHT, KEYWORD_WEIGHT = 0.7, 0.3
# What salience may do to a score: an exact answer that nobody asked for lately stays before what is
# fresh and says something else.
LEAST_FACTOR, MOST_FACTOR = 0.7, 1.3


def boost(count: int, days: float) -> float:
    """Return what `count` accesses are worth, the last of them `days` ago."""
    recency = max(LEAST_RECENCY, 1 - DAILY_LOSS * days)
    return 1 + math.log(1 + count) * recency


def reinforced(count: int, days: float) -> float:
    return min(boost(count, days), MOST)


def decayed(score: float) -> float:
    return max(score * KEPT, LEAST)


def vector_score(distance: float) -> float:
    return 1 / (1 + distance)


def normalised(ranks: Sequence[float]) -> list[float]:
    """Stretch ranks over 0 to 1; where all are alike, as where there is one alone, each is 1."""
    if not ranks:
        return []
    low, high = min(ranks), max(ranks)
    return [(rank - low) / (high - low) if high > low else 1.0 for rank in ranks]


def blended(vector: float, keyword: float, decay: float) -> float:
    """Return a fact's score; a part that is missing is 0, and salience counts within bounds."""
    factor = min(max(decay, LEAST_FACTOR), MOST_FACTOR)
    return (VECTOR_WEIGHT * vector + KEYWORD_WEIGHT * keyword) * factor

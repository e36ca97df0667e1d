"""Several rankings to one."""

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

# Cormack, Clarke and Büttcher (SIGIR 2009) found 60 robust across collections.
RRF_K = 60


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[T]], *, k: int = RRF_K
) -> list[tuple[T, float]]:
    """Fuse rankings, best first; an item scores the sum of 1 / (k + rank) over its lists.

    Ranks start at 1. Ties keep the order of first appearance.
    """
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])

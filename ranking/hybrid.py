"""Short records ranked by words and by meaning at once, the two rankings fused by rank."""

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.fusion import reciprocal_rank_fusion
from ranking.tokens import fold, meaningful

LEAST_RECALL = 0.33
# A short record cannot hold a third of a long question: enough of the record is enough.
LEAST_SHARED = 2
LEAST_OF_THE_RECORD = 0.4
LEAST_COSINE = 0.5
# Half precision and the order of additions differ beyond this.
DIGITS = 5


@dataclass(frozen=True, slots=True)
class Comparable:
    """A record as a question is compared with it: all its words, its main text, its cosine.

    `cosine` is None for what has no vector in the question's space.
    """

    words: str
    main: str
    cosine: float | None = None


def rank(query: str, records: Sequence[Comparable], *, limit: int) -> list[tuple[int, float]]:
    """Return the places of the best records with their scores; ties keep the order of the records."""
    by_words = _by_words(query, records)
    by_meaning = _by_meaning(records)
    return reciprocal_rank_fusion([by_meaning, by_words])[:limit]


def _by_words(query: str, records: Sequence[Comparable]) -> list[int]:
    wanted = frozenset(meaningful(query))
    if not wanted:
        return []
    recalls = {place: recall(wanted, record) for place, record in enumerate(records)}
    hits = [place for place, share in recalls.items() if share]
    return sorted(hits, key=lambda place: -recalls[place])


def recall(wanted: frozenset[str], record: Comparable) -> float:
    """Return the share of the question's tokens that the record has, 0 if it is no hit."""
    text = fold(record.words)
    # Most records have none of them: to look is faster than to take every text apart.
    if not _may_be_hit(wanted, sum(token in text for token in wanted)):
        return 0.0
    shared = len(wanted & frozenset(meaningful(record.words)))
    share = shared / len(wanted)
    if share >= LEAST_RECALL:
        return share
    return share if shared >= LEAST_SHARED and _is_short_hit(wanted, record) else 0.0


def _may_be_hit(wanted: frozenset[str], shared: int) -> bool:
    return shared >= min(LEAST_SHARED, LEAST_RECALL * len(wanted))


def _is_short_hit(wanted: frozenset[str], record: Comparable) -> bool:
    main = frozenset(meaningful(record.main))
    shared = len(wanted & main)
    return shared >= LEAST_SHARED and shared >= LEAST_OF_THE_RECORD * len(main)


def _by_meaning(records: Sequence[Comparable]) -> list[int]:
    cosines = {
        place: round(record.cosine, DIGITS)
        for place, record in enumerate(records)
        if record.cosine is not None
    }
    hits = [place for place, cosine in cosines.items() if cosine >= LEAST_COSINE]
    return sorted(hits, key=lambda place: -cosines[place])

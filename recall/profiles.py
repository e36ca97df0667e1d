"""Named ranking formulas: frozen constants, so that one is tried beside another."""

from dataclasses import dataclass
from enum import Enum

from ranking.bm25 import Bm25
from ranking.fusion import RRF_K

DEFAULT_BM25 = Bm25()


class Fusion(Enum):
    """How the scores by words and by meaning become one."""

    CALIBRATED = "calibrated"
    RECIPROCAL_RANK = "reciprocal_rank"


@dataclass(frozen=True, slots=True)
class Profile:
    """Weights on signals that each run from 0 to 1.

    The words count as BM25 over the highest BM25 the question could reach (its ceiling), which
    makes scores comparable between questions. A block of events scores as its best passage, and
    gains from its context: its neighbours' scores, its session's own BM25, and a question that
    names its speaker. Of the neighbours the next but one counts `farther` as much as the next.
    """

    name: str
    fusion: Fusion = Fusion.CALIBRATED
    bm25: Bm25 = DEFAULT_BM25
    cosine: float = 0.5
    neighbours: float = 0.2
    farther: float = 0.1
    session: float = 0.3
    speaker: float = 0.1
    candidates: int = 100
    rrf_k: int = RRF_K


CALIBRATED = Profile("calibrated")
WORDS = Profile("words", cosine=0.0)
# For comparison: ranks alone lose what the scores say.
RANKS = Profile(
    "ranks", fusion=Fusion.RECIPROCAL_RANK, cosine=1.0, neighbours=0.0, session=0.0, speaker=0.0
)
# For comparison: only the blocks right before and after count as neighbours.
ADJACENT = Profile("adjacent", farther=0.0)
ADJACENT_WORDS = Profile("adjacent_words", cosine=0.0, farther=0.0)
PROFILES = {
    profile.name: profile for profile in (CALIBRATED, WORDS, RANKS, ADJACENT, ADJACENT_WORDS)
}


def by_words(profile: Profile) -> Profile:
    """Return the formula for a question that has no vector."""
    if profile.cosine == 0:
        return profile
    return ADJACENT_WORDS if profile == ADJACENT else WORDS

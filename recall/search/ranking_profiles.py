"""Named ranking formulas: frozen constants, so that one is tried beside another."""

from dataclasses import dataclass
from enum import Enum

from ranking.bm25 import Bm25
from ranking.fusion import RRF_K

DEFAULT_BM25 = Bm25()
LONG_TERM_VECTORS = ("passages", "summaries")


class Fusion(Enum):
    """How the scores by words and by meaning become one."""

    CALIBRATED = "calibrated"
    RECIPROCAL_RANK = "reciprocal_rank"


@dataclass(frozen=True, slots=True)
class RankingProfile:
    """Weights on signals.

    `words` is BM25 over the highest BM25 the question could reach (its ceiling), from 0 to 1.
    `meaning` is how far a passage's cosine exceeds what is usual for the question: the mean of the
    owner's passages and one standard deviation. It is 0 where no cosine is known, and weighs as much
    as the share of the owner's passages that have one. A block scores as its best passage and gains
    from its context: the blocks beside it (`neighbours`; the next but one `farther` as much), the
    question it answers (`reply`), its session's words (`session`), and what the session's
    summary or arc scores (`summary`), a fact learned
    from it (`learned`), a time in the question (`time`), and a question that names its speaker.
    `cosine` is the weight of an agent's documents, of which each has a vector soon. Under
    `long_term_vectors` "summaries" the vectors of passages in long-term memory are not looked at.
    """

    name: str
    fusion: Fusion = Fusion.CALIBRATED
    bm25: Bm25 = DEFAULT_BM25
    meaning: float = 0.6
    cosine: float = 0.5
    neighbours: float = 0.2
    farther: float = 0.1
    reply: float = 0.55
    session: float = 0.3
    summary: float = 0.3
    learned: float = 0.6
    time: float = 0.2
    speaker: float = 0.15
    candidates: int = 50
    rrf_k: int = RRF_K
    long_term_vectors: str = "passages"

    @property
    def keeps_details(self) -> bool:
        return self.long_term_vectors == "passages"


CALIBRATED = RankingProfile("calibrated")
WORDS = RankingProfile("words", meaning=0.0, cosine=0.0, learned=0.0)
# For comparison: ranks alone lose what the scores say.
RANKS = RankingProfile(
    "ranks",
    fusion=Fusion.RECIPROCAL_RANK,
    meaning=1.0,
    cosine=1.0,
    neighbours=0.0,
    reply=0.0,
    session=0.0,
    summary=0.0,
    learned=0.0,
    time=0.0,
    speaker=0.0,
)
PROFILES = {profile.name: profile for profile in (CALIBRATED, WORDS, RANKS)}


def by_words(profile: RankingProfile) -> RankingProfile:
    """Return the formula for a question that has no vector."""
    return profile if profile.meaning == 0 else WORDS

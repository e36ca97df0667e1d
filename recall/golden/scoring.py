"""How well an answer brings what should come, and what another answer gains and loses (pure)."""

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from statistics import fmean
from uuid import UUID

# What enters or leaves the first ten results is gained or lost.
DEPTH = 10

# The events of each result, best first.
Ranking = Sequence[Collection[UUID]]


@dataclass(frozen=True, slots=True)
class Score:
    """How well an answer brings what should come, each number from 0 to 1.

    `at_k` and `at_ten` are the shares of it among the first k and the first ten results,
    `reciprocal_rank` is one divided by the place of the first result that brings any of it.
    """

    at_k: float
    at_ten: float
    reciprocal_rank: float

    @property
    def place(self) -> int | None:
        """The place of that first result, from 1; None without one."""
        return round(1 / self.reciprocal_rank) if self.reciprocal_rank else None


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """One question under two settings; what only one of them brought among the first ten."""

    today: Score
    variant: Score
    gained: frozenset[UUID]
    lost: frozenset[UUID]

    @property
    def change(self) -> float:
        """How much better the variant is, by what it brings and then by where: worst is lowest."""
        now, then = self.variant, self.today
        by_what = (now.at_k - then.at_k) + (now.at_ten - then.at_ten)
        return by_what + (now.reciprocal_rank - then.reciprocal_rank) / 1_000


@dataclass(frozen=True, slots=True)
class TrialSummary:
    """Means over the questions, and how many events were gained and lost in all."""

    questions: int
    today: Score
    variant: Score
    gained: int
    lost: int

    @property
    def loss(self) -> float:
        """How much of its recall@k the variant loses in the mean; 0 for none."""
        return max(self.today.at_k - self.variant.at_k, 0.0)


def outcome(expected: Set[UUID], *, today: Ranking, variant: Ranking, k: int) -> QuestionOutcome:
    """Hold two answers to a question against what should come, of which there is something."""
    before, after = brought(expected, today, DEPTH), brought(expected, variant, DEPTH)
    return QuestionOutcome(
        score(expected, today, k), score(expected, variant, k), after - before, before - after
    )


def score(expected: Set[UUID], ranking: Ranking, k: int) -> Score:
    places = [place for place, events in enumerate(ranking, 1) if not expected.isdisjoint(events)]
    return Score(
        len(brought(expected, ranking, k)) / len(expected),
        len(brought(expected, ranking, DEPTH)) / len(expected),
        1 / places[0] if places else 0.0,
    )


def brought(expected: Set[UUID], ranking: Ranking, depth: int) -> frozenset[UUID]:
    """Return what of the expected the first results brought."""
    return frozenset(event for events in ranking[:depth] for event in events if event in expected)


def summary(outcomes: Sequence[QuestionOutcome]) -> TrialSummary | None:
    """Return the means; None of no outcome at all."""
    if not outcomes:
        return None
    return TrialSummary(
        len(outcomes),
        _mean([one.today for one in outcomes]),
        _mean([one.variant for one in outcomes]),
        sum(len(one.gained) for one in outcomes),
        sum(len(one.lost) for one in outcomes),
    )


def _mean(scores: Sequence[Score]) -> Score:
    return Score(
        fmean(one.at_k for one in scores),
        fmean(one.at_ten for one in scores),
        fmean(one.reciprocal_rank for one in scores),
    )

"""Ask golden questions as they are searched today and under a variant, and write nothing."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from accounts.billing import charged_to
from recall.golden.expecting import said_of
from recall.golden.scoring import DEPTH, QuestionOutcome, Ranking, outcome
from recall.golden.variants import TODAY, Searching, Variant, searching
from recall.models import GoldenQuestion
from recall.search.hits import SearchResult
from recall.search.messages.search import search
from recall.search.questions.question import Question, SearchMode, prepare

K = 5


@dataclass(frozen=True, slots=True)
class Tried:
    """A question, the events that should come with their words, and what became of it.

    `forgotten` counts what should have come and was forgotten or erased since; `outcome` is None
    where that is all of it: then nothing was asked. `degraded` is the code of what one of the two
    answers lacked, empty for nothing.
    """

    question: GoldenQuestion
    expected: Mapping[UUID, str]
    forgotten: int
    outcome: QuestionOutcome | None
    degraded: str = ""

    @property
    def gained(self) -> list[str]:
        return [self.expected[one] for one in self.outcome.gained] if self.outcome else []

    @property
    def lost(self) -> list[str]:
        return [self.expected[one] for one in self.outcome.lost] if self.outcome else []


def tried(
    questions: Collection[GoldenQuestion], *, variant: Variant, k: int = K
) -> Iterator[Tried]:
    """Ask each question twice, without a receipt; owners and agents must be loaded.

    A question's vector is made once for each space, and the organization pays for it, not the user.
    Raises VariantUnknown.
    """
    today, other = searching(TODAY), searching(variant)
    said = said_of(questions)
    for one in questions:
        known = said.get(one.owner_id, {})
        still = {event: known[event] for event in one.expected if event in known}
        forgotten = len(one.expected) - len(still)
        if not still:
            yield Tried(one, still, forgotten, None)
            continue
        first, second = _both(one, today, other, max(k, DEPTH))
        found = outcome(still.keys(), today=_ranking(first), variant=_ranking(second), k=k)
        yield Tried(one, still, forgotten, found, second.degraded or first.degraded)


def by_change(rows: Collection[Tried]) -> list[Tried]:
    """Order by what became of each: losses, gains, what stayed, what was not asked."""
    return sorted(rows, key=_rank)


def _both(
    one: GoldenQuestion, today: Searching, other: Searching, limit: int
) -> tuple[SearchResult, SearchResult]:
    with charged_to(one.owner, spares_user=True):
        question = _prepared(one, today)
        first = _asked(one, today, question, limit)
        if other == today:
            return first, first
        is_same = (other.space, other.has_meaning) == (today.space, today.has_meaning)
        return first, _asked(one, other, question if is_same else _prepared(one, other), limit)


def _prepared(one: GoldenQuestion, how: Searching) -> Question:
    return prepare(one.owner.agent, one.query, SearchMode.HYBRID, how.profile, how.space)


def _asked(one: GoldenQuestion, how: Searching, question: Question, limit: int) -> SearchResult:
    return search(
        owner=one.owner, query=one.query, limit=limit, profile=how.profile, question=question
    )


def _ranking(found: SearchResult) -> Ranking:
    return [hit.events for hit in found.hits]


def _rank(row: Tried) -> tuple[int, float]:
    if row.outcome is None:
        return 3, 0.0
    change = row.outcome.change
    return (0, change) if change < 0 else (1, -change) if change > 0 else (2, 0.0)

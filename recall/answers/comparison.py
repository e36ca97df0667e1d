"""The same questions asked in two spaces: how far the answers agree, and what they take."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from accounts.models import Owner
from memory.models import EmbeddingSpace
from recall.models import Receipt
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode

DEPTH = 10
HEAD = "vectors   hybrid   old ms   new ms  question"


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """A question to an owner's memory. `name` stands for it where its words are not shown."""

    owner: Owner
    query: str
    name: str


@dataclass(frozen=True, slots=True)
class Compared:
    """Overlaps are shares of the first ten hits, from 0 to 1; None where neither space had any.

    `vectors` is by vectors alone, `hybrid` as people ask; the seconds are of the hybrid answers.
    """

    asked: ComparedQuestion
    vectors: float | None
    hybrid: float | None
    old_seconds: float
    new_seconds: float


def compare(
    asked: Sequence[ComparedQuestion], *, old: EmbeddingSpace, new: EmbeddingSpace
) -> Iterator[Compared]:
    """Ask each question in both spaces, writing no receipt."""
    for one in asked:
        first, old_seconds = _ask(one, old, SearchMode.HYBRID)
        second, new_seconds = _ask(one, new, SearchMode.HYBRID)
        by_vectors = [_ask(one, space, SearchMode.SEMANTIC)[0] for space in (old, new)]
        yield Compared(one, overlap(*by_vectors), overlap(first, second), old_seconds, new_seconds)


def lines(results: Sequence[Compared]) -> list[str]:
    """Return a table of the results, with their means last."""
    rows = [(one.asked.name, _values(one)) for one in results]
    columns = zip(*(values for _, values in rows), strict=True)
    rows.append(
        (f"mean of {len(results)} (overlap@{DEPTH})", [_mean(column) for column in columns])
    )
    return [HEAD, *(_line(name, values) for name, values in rows)]


def recent_questions(limit: int) -> list[ComparedQuestion]:
    """Return the questions asked last, of all owners: an operator's command reads them."""
    receipts = Receipt.objects.exclude(query="").select_related("owner__agent")
    newest = receipts.order_by("-created_at")[:limit]
    return [ComparedQuestion(row.owner, row.query, f"receipt {row.pk}") for row in newest]


def overlap(first: Sequence[object], second: Sequence[object]) -> float | None:
    """Return which share of the longer answer both hold; None if both are empty."""
    longest = max(len(first), len(second))
    return len(set(first) & set(second)) / longest if longest else None


def _values(one: Compared) -> list[float | None]:
    return [one.vectors, one.hybrid, one.old_seconds * 1e3, one.new_seconds * 1e3]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _line(name: str, values: Sequence[float | None]) -> str:
    cells = ["      -" if value is None else f"{value:7.2f}" for value in values]
    return "  ".join([*cells, name])


def _ask(
    one: ComparedQuestion, space: EmbeddingSpace, mode: SearchMode
) -> tuple[list[object], float]:
    begun = time.perf_counter()
    found = search(owner=one.owner, query=one.query, limit=DEPTH, mode=mode, space=space)
    return [hit.id for hit in found.hits], time.perf_counter() - begun

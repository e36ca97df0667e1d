"""A trial of another setting while somebody waits: as far as a request may go."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from django.db.models import QuerySet

from accounts.models import Agent
from memory.spaces import lack_of
from recall.golden.scoring import TrialSummary, summary
from recall.golden.trying import K, Tried, by_change, tried
from recall.golden.variants import Variant
from recall.models import GoldenQuestion

# Whichever comes first: the command asks the rest.
MOST_ASKED, SECONDS = 200, 10
MOST_MISSING = 10_000


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of the questions, losses first; `left` were not asked any more.

    `missing` counts the texts without a vector in the space that is tried, up to `most`.
    """

    variant: Variant
    rows: Sequence[Tried]
    summary: TrialSummary | None
    left: int
    missing: int
    command: str
    k: int = K
    most: int = MOST_MISSING

    @property
    def void(self) -> int:
        """How many were not asked because all that should come was forgotten."""
        return sum(row.outcome is None for row in self.rows)

    @property
    def lacking(self) -> list[str]:
        """The codes of what answers lacked."""
        return sorted({row.degraded for row in self.rows if row.degraded})

    @property
    def measures(self) -> list[tuple[str, float, float]]:
        """Each measure with its mean today and under the variant."""
        if self.summary is None:
            return []
        today, other = self.summary.today, self.summary.variant
        return [
            (f"recall@{self.k}", today.at_k, other.at_k),
            ("recall@10", today.at_ten, other.at_ten),
            ("MRR", today.reciprocal_rank, other.reciprocal_rank),
        ]


def trial(questions: QuerySet[GoldenQuestion], *, variant: Variant, agent: Agent | None) -> Trial:
    """Ask the newest questions for at most ten seconds."""
    ends = perf_counter() + SECONDS
    newest = questions.select_related("owner__agent", "receipt").order_by("-pk")[:MOST_ASKED]
    rows = []
    for row in tried(list(newest), variant=variant):
        rows.append(row)
        if perf_counter() > ends:
            break
    return Trial(
        variant=variant,
        rows=by_change(rows),
        summary=summary([row.outcome for row in rows if row.outcome]),
        left=questions.count() - len(rows),
        missing=lack_of(variant.space, most=MOST_MISSING).texts if variant.space else 0,
        command=_command(variant, agent),
    )


def _command(variant: Variant, agent: Agent | None) -> str:
    options = {
        "--agent": agent.slug if agent else "",
        "--profile": variant.profile or "",
        "--space": variant.space.model if variant.space else "",
    }
    given = [f"{name} {value}" for name, value in options.items() if value]
    return " ".join(["manage.py golden run", *given])

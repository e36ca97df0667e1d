"""What became of golden questions, as lines of a terminal. No line holds a question's words."""

from collections.abc import Sequence

from recall.golden.scoring import Score, TrialSummary, summary
from recall.golden.trying import Tried
from recall.models import GoldenQuestion

HEAD = "  today  variant  gained  lost  question"


def lines(rows: Sequence[Tried], k: int) -> list[str]:
    """Return a table of recall@k with a row per question, and a summary as its last lines."""
    found = summary([row.outcome for row in rows if row.outcome])
    end = _summary(found, k) if found else ["nothing was asked"]
    return [HEAD, *(_line(row) for row in rows), *end, *_not_asked(rows)]


def name_of(question: GoldenQuestion) -> str:
    """Return what stands for a question. Its owner and agent must be loaded."""
    note = f"  {question.note}" if question.note else ""
    return f"{question.pk}  {question.owner.agent.slug}{note}"


def _line(row: Tried) -> str:
    name = name_of(row.question)
    if row.outcome is None:
        return f"{'-':>7}  {'-':>7}  {'-':>6}  {'-':>4}  {name} (all of it was forgotten)"
    found = row.outcome
    forgotten = f" ({row.forgotten} forgotten)" if row.forgotten else ""
    scores = f"{found.today.at_k:7.2f}  {found.variant.at_k:7.2f}"
    return f"{scores}  {len(found.gained):6}  {len(found.lost):4}  {name}{forgotten}"


def _summary(found: TrialSummary, k: int) -> list[str]:
    count = f"{found.questions} question{'' if found.questions == 1 else 's'}"
    scores = _change(found.today, found.variant, k)
    return [f"{count}: {scores}; {found.gained} gained and {found.lost} lost of the first ten"]


def _change(today: Score, variant: Score, k: int) -> str:
    parts = {
        f"recall@{k}": (today.at_k, variant.at_k),
        "recall@10": (today.at_ten, variant.at_ten),
        "MRR": (today.reciprocal_rank, variant.reciprocal_rank),
    }
    return ", ".join(f"{name} {a:.3f} → {b:.3f}" for name, (a, b) in parts.items())


def _not_asked(rows: Sequence[Tried]) -> list[str]:
    void = sum(row.outcome is None for row in rows)
    return [f"{void} not asked: all that should come was forgotten or erased"] if void else []

"""How good a narrative is, beside the observations it was made of: the contract, and the rules."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import Field

from providers.answers import Contract, Text
from providers.chat import Answer, Line, Purpose, Task
from ranking.similarity import jaccard, token_recall
from ranking.tokens import meaningful

INSTRUCTIONS = (
    "`known` is a narrative of what a user is about now; the lines are the observations it was made "
    "of, the oldest first. Judge it from 1 (bad) to 5 (good): completeness, is what matters of the "
    "observations in it; conciseness, is nothing said twice and nothing idle; recency, does it say "
    "what the newest observations say where they change older ones."
)
WORST, BEST = 1, 5
# A statement holds an observation when it has this share of its words.
HOLDS = 0.6
ALIKE = 0.6
NEWEST = 3
LONG_WORDS = 500

Mark = Annotated[int, Field(ge=WORST, le=BEST)]


class NarrativeMarks(Contract):
    """Three marks from 1 to 5, and why."""

    completeness: Mark
    conciseness: Mark
    recency: Mark
    reason: Annotated[str, Text, Field(max_length=240)]


def judging(narrative: str, observations: Sequence[Line]) -> Task[NarrativeMarks]:
    """Ask for the marks of a narrative."""
    purpose = Purpose.NARRATIVE_JUDGEMENT
    return Task(purpose, "judge-1", INSTRUCTIONS, observations, NarrativeMarks, narrative, 300)


def judge_by_rules(task: Task[Answer]) -> Mapping[str, object]:
    """Mark by shared words: what share of the observations, and of the newest three, is said."""
    sentences = [part for part in task.known.replace("\n", ". ").split(". ") if part.strip()]
    said = [set(meaningful(sentence)) for sentence in sentences]
    everything = set().union(*said) if said else set()
    held = [token_recall(meaningful(line.text), everything) >= HOLDS for line in task.lines]
    newest = held[-NEWEST:]
    repeated = sum(
        any(jaccard(one, other) >= ALIKE for other in said[:place])
        for place, one in enumerate(said)
    )
    idle = repeated / len(said) if said else 0.0
    length = len(task.known.split()) / LONG_WORDS
    return {
        "completeness": _mark(sum(held) / len(held) if held else 1.0),
        "conciseness": _mark(1 - max(idle, length - 1, 0.0)),
        "recency": _mark(sum(newest) / len(newest) if newest else 1.0),
        "reason": f"{sum(held)} of {len(held)} observations said, {repeated} sentences repeated",
    }


def _mark(share: float) -> int:
    return WORST + round((BEST - WORST) * min(max(share, 0.0), 1.0))

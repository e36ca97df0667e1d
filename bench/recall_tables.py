"""What bench.recall measures, as the tables of docs/figures.md."""

from collections.abc import Mapping

from bench.dialogues import METRICS
from bench.states import STATES

# What recall@5 is to reach: without a model, and with the local one.
GOALS = {
    "locomo": (66, 69),
    "madial": (40, 58),
    "beam-100k": (39, 44),
    "realmem": (55, 62),
    "qmsum": (13, 14),
}
NAMES = {
    "locomo": "LoCoMo dev",
    "beam-100k": "BEAM dev",
    "realmem": "RealMem dev",
    "madial": "MADial dev",
    "qmsum": "QMSum dev",
    "lme-mini": "LongMemEval, 4 questions",
    "locomo-conv-30": "LoCoMo dev, conv-30",
}
# What is asked by, and what the settings call it while the questions are put.
EMBEDDERS = {"none": "null", "local": "local"}
# Where the design sets none.
NO_GOAL = "\u2013"

Marks = Mapping[str, float]
# By set, embedder and profile.
Rows = Mapping[tuple[str, str, str], Marks]


def recall_table(rows: Rows) -> str:
    lines = [f"| set | embedder | {' | '.join(METRICS)} | goal R@5 |"]
    lines.append("|---" * (len(METRICS) + 3) + "|")
    for (name, embedder, _), marked in rows.items():
        goal = GOALS.get(name, (NO_GOAL, NO_GOAL))[embedder == "local"]
        lines.append(f"{_row(name, embedder, marked)} {goal} |")
    return "\n".join(lines)


def quick_table(measured: Mapping[str, Mapping[str, Marks]]) -> str:
    lines = [f"| set | embedder | {' | '.join(METRICS)} |", "|---" * (len(METRICS) + 2) + "|"]
    for name, states in measured.items():
        lines += [_row(name, embedder, states[embedder]) for embedder in EMBEDDERS]
    return "\n".join(lines)


def _row(name: str, embedder: str, marked: Marks) -> str:
    by = "local" if embedder == "local" else "none (words)"
    numbers = " | ".join(f"{marked[metric]:.1f}" for metric in METRICS)
    return f"| {NAMES.get(name, name)} | {by} | {numbers} |"


def state_table(marked: Mapping[str, Mapping[str, float]]) -> str:
    lines = [f"| set | {' | '.join(STATES)} |", "|---" * (len(STATES) + 1) + "|"]
    for name, states in marked.items():
        cells = [f"{states['words']:.1f}"]
        cells += [
            f"{mark:.1f} ({mark - states['words']:+.1f})"
            for state, mark in states.items()
            if state != "words"
        ]
        lines.append(f"| {NAMES.get(name, name)} | {' | '.join(cells)} |")
    return "\n".join(lines)

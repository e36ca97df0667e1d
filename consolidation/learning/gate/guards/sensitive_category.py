"""A loss or a trigger is never kept at once (pure)."""

from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, FactCandidate, VerdictCode

SENSITIVE = frozenset({"loss", "trigger"})


def clamp(candidate: FactCandidate, ruling: Ruling) -> Clamp | None:
    if candidate.category in SENSITIVE and ruling.action is Action.COMMIT_NOW:
        return Clamp(Action.SESSION_END, VerdictCode.SENSITIVE_CATEGORY)
    return None

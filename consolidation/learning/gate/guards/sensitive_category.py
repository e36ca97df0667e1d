"""A loss or a trigger is never kept at once (pure)."""

from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, Code, FactCandidate

SENSITIVE = frozenset({"loss", "trigger"})


def clamp(candidate: FactCandidate, ruling: Ruling) -> Clamp | None:
    if candidate.category in SENSITIVE and ruling.action is Action.COMMIT_NOW:
        return Clamp(Action.SESSION_END, Code.SENSITIVE_CATEGORY)
    return None

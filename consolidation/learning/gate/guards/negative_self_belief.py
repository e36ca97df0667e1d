"""What someone thinks ill of themselves in a dark moment must be said again first (pure)."""

from consolidation.learning.gate.cues import is_negative_self_belief
from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, FactCandidate, VerdictCode

TOO_SOON = frozenset({Action.COMMIT_NOW, Action.SESSION_END})


def clamp(candidate: FactCandidate, ruling: Ruling) -> Clamp | None:
    if ruling.action in TOO_SOON and is_negative_self_belief(candidate.quote):
        return Clamp(Action.REPETITION, VerdictCode.NEGATIVE_SELF_BELIEF)
    return None

"""Nothing is kept that would keep help from someone in danger (pure)."""

from consolidation.learning.gate.cues import is_safety_conflict
from consolidation.learning.gate.evidence import words_of
from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, FactOrRule, VerdictCode


def clamp(candidate: FactOrRule, ruling: Ruling) -> Clamp | None:
    if ruling.safety_conflict or any(map(is_safety_conflict, words_of(candidate))):
        return Clamp(Action.DROP, VerdictCode.SAFETY_CONFLICT)
    return None

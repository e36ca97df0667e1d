"""What holds for the moment alone is not kept (pure)."""

from consolidation.learning.gate.cues import is_turn_scoped
from consolidation.learning.gate.evidence import quotes_of
from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, FactOrRule, VerdictCode


def clamp(candidate: FactOrRule, ruling: Ruling) -> Clamp | None:
    if is_turn_scoped(" ".join(quotes_of(candidate))):
        return Clamp(Action.DROP, VerdictCode.TURN_SCOPED)
    return None

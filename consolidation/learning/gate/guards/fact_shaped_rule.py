"""A rule that only asks to remember something is a fact, and belongs to the other lane (pure)."""

from consolidation.learning.gate.cues import is_fact_shaped
from consolidation.learning.gate.evidence import words_of
from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, RuleCandidate, VerdictCode


def clamp(candidate: RuleCandidate, ruling: Ruling) -> Clamp | None:
    if is_fact_shaped(words_of(candidate)):
        return Clamp(Action.DROP, VerdictCode.FACT_SHAPED_RULE)
    return None

"""What may be kept in its own turn; the rest waits for the session's end (pure)."""

from consolidation.learning.gate.cues import is_agent_facing
from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import Action, FactCandidate, FactOrRule, VerdictCode

AT_ONCE = frozenset({"relationship", "preference", "coping_strategy", "goal"})
SURE = "high"


def clamp(candidate: FactOrRule, ruling: Ruling) -> Clamp | None:
    if ruling.action is Action.COMMIT_NOW and not _may_be_at_once(candidate, ruling):
        return Clamp(Action.SESSION_END, VerdictCode.NOT_AT_ONCE)
    return None


def _may_be_at_once(candidate: FactOrRule, ruling: Ruling) -> bool:
    if isinstance(candidate, FactCandidate):
        is_sure = candidate.confidence == ruling.confidence == SURE
        is_plain = candidate.category in AT_ONCE and not is_agent_facing(candidate.quote)
        return is_sure and is_plain
    return ruling.confidence == SURE

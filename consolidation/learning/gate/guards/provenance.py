"""A mention of where something was said is no fact of the user's life (pure)."""

from consolidation.verdict import FactCandidate, VerdictCode

MENTION = "MENTIONED_IN"


def check(candidate: FactCandidate, said: str) -> VerdictCode | None:
    return VerdictCode.PROVENANCE if candidate.predicate == MENTION else None

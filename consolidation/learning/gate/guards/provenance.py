"""A mention of where something was said is no fact of the user's life (pure)."""

from consolidation.verdict import Code, FactCandidate

MENTION = "MENTIONED_IN"


def check(candidate: FactCandidate, said: str) -> Code | None:
    return Code.PROVENANCE if candidate.predicate == MENTION else None

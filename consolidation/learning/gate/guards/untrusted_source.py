"""Words that are not the user's own become a quarantined candidate at most (pure)."""

from consolidation.verdict import FactOrRule, VerdictCode

TRUSTED = frozenset({"operator", "user_direct"})


def check(candidate: FactOrRule, said: str) -> VerdictCode | None:
    return None if candidate.source_class in TRUSTED else VerdictCode.UNTRUSTED_SOURCE

"""Words that are not the user's own become a quarantined candidate at most (pure)."""

from consolidation.verdict import Code, FactOrRule

TRUSTED = frozenset({"operator", "user_direct"})


def check(candidate: FactOrRule, said: str) -> Code | None:
    return None if candidate.source_class in TRUSTED else Code.UNTRUSTED_SOURCE

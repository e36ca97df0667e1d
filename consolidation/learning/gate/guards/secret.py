"""A secret is never learned, nor anything that needs one to make sense (pure)."""

from consolidation.learning.gate.evidence import words_of
from consolidation.verdict import FactOrRule, VerdictCode
from memory.redaction import is_secret


def check(candidate: FactOrRule, said: str) -> VerdictCode | None:
    return VerdictCode.SECRET if any(map(is_secret, words_of(candidate))) else None

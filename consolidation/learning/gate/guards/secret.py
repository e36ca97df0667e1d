"""A secret is never learned, nor anything that needs one to make sense (pure)."""

from consolidation.learning.gate.evidence import words_of
from consolidation.verdict import Code, FactOrRule
from memory.redaction import is_secret


def check(candidate: FactOrRule, said: str) -> Code | None:
    return Code.SECRET if any(map(is_secret, words_of(candidate))) else None

"""A secret is never learned, nor anything that needs one to make sense (pure)."""

from consolidation.gate.evidence import words_of
from consolidation.gate.redaction import is_secret
from consolidation.gate.verdict import Code, FactOrRule


def check(candidate: FactOrRule, said: str) -> Code | None:
    return Code.SECRET if any(map(is_secret, words_of(candidate))) else None

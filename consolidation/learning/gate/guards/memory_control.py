"""Nothing is learned from a message that asks about the memory itself (pure)."""

from consolidation.learning.gate import cues
from consolidation.learning.gate.evidence import own_words, quotes_of
from consolidation.verdict import FactOrRule, VerdictCode


def check(candidate: FactOrRule, said: str) -> VerdictCode | None:
    texts = (*quotes_of(candidate), own_words(said))
    return VerdictCode.MEMORY_CONTROL if any(map(cues.is_memory_control, texts)) else None

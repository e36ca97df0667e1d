"""Each quote stands word for word in what the user just said, outside anything pasted (pure)."""

from consolidation.learning.gate.evidence import own_words, quotes_of, stands_in
from consolidation.verdict import FactOrRule, VerdictCode


def check(candidate: FactOrRule, said: str) -> VerdictCode | None:
    own, quotes = own_words(said), quotes_of(candidate)
    is_quoted = bool(quotes) and all(stands_in(quote, own) for quote in quotes)
    return None if is_quoted else VerdictCode.NOT_QUOTED

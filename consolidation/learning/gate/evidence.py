"""What a quote rests on: whose words it is, and whether they stand there (pure)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from consolidation.verdict import FactOrRule, RuleCandidate
from providers.chat import Line

USER_DIRECT = "user_direct"
PASTED = "imported"
FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
# The class of a quote that is not the user's own: by whose line it stands in.
CLASS_OF_ROLE = {"assistant": "agent_inference", "tool": "tool_output", "system": "imported"}


def quotes_of(candidate: FactOrRule) -> tuple[str, ...]:
    return candidate.evidence if isinstance(candidate, RuleCandidate) else (candidate.quote,)


def words_of(candidate: FactOrRule) -> tuple[str, ...]:
    """Return all of a candidate that would be stored as text."""
    if isinstance(candidate, RuleCandidate):
        return (candidate.text, *candidate.evidence)
    return (candidate.quote, candidate.subject, candidate.object)


def stands_in(quote: str, text: str) -> bool:
    """Say whether a quote stands word for word in a text; runs of white space count as one blank."""
    folded = _one_line(quote)
    return bool(folded) and folded in _one_line(text)


def own_words(text: str) -> str:
    """Return a message without what was pasted into it: fenced blocks and quoted lines."""
    return "\n".join(_own_lines(text))


def source_class(quotes: Iterable[str], lines: Sequence[Line]) -> str:
    """Return the least trusted class among the sources of quotes; the last line is the user's.

    A quote that stands nowhere is left to the guard that looks for it.
    """
    found = {_class_of(quote, lines) for quote in quotes} - {USER_DIRECT}
    return min(found, key=LEAST_TRUSTED_FIRST.index) if found else USER_DIRECT


LEAST_TRUSTED_FIRST = ("imported", "other_agent", "tool_output", "agent_inference")


def _class_of(quote: str, lines: Sequence[Line]) -> str:
    if stands_in(quote, own_words(lines[-1].text)):
        return USER_DIRECT
    if stands_in(quote, lines[-1].text):
        return PASTED
    roles = (line.role for line in lines[:-1] if stands_in(quote, line.text))
    return next((CLASS_OF_ROLE[role] for role in roles if role in CLASS_OF_ROLE), USER_DIRECT)


def _own_lines(text: str) -> Iterator[str]:
    is_fenced = False
    for line in text.split("\n"):
        if FENCE.match(line):
            is_fenced = not is_fenced
        elif not is_fenced and not line.lstrip().startswith(">"):
            yield line


def _one_line(text: str) -> str:
    return " ".join(text.split())

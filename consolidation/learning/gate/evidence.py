"""What a quote rests on: whose words it is, and whether they stand there."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from consolidation.verdict import FactOrRule, RuleCandidate
from providers.chat import Line

USER_DIRECT = "user_direct"
PASTED = "imported"
TRIMMED = " .,;:!?'\"…"
# Between quotation marks so many words are no title any more.
SHORTEST_QUOTATION = 5
QUOTATION = re.compile(
    r"(?<!\w)\"[^\"\n]{1,4000}\"|\u201c[^\u201d\u201c]{1,4000}[\u201d\u201c]|\u201e[^\u201c\u201d]{1,4000}[\u201c\u201d]"
    r"|\u00ab[^\u00bb]{1,4000}\u00bb|\u300c[^\u300d]{1,4000}\u300d"
)
# What follows was written by somebody else: a forwarded message, or its header.
FORWARDED = re.compile(
    r"^[ \t]*(?:[-*_ ]{0,10}(?:begin )?(?:forwarded|original|weitergeleitete|ursprüngliche) "
    r"(?:message|nachricht)\b|[-_]{3,} ?(?:forwarded|original)|fwd?:|wg:"
    r"|(?:from|von|de|da|от): .{0,200}\n(?:.{0,200}\n){0,3}?(?:subject|betreff|objet|asunto|oggetto|assunto"
    r"|to|an|date|sent|тема): )",
    re.IGNORECASE | re.MULTILINE,
)
# An order to read a text, up to the colon before it: the text is somebody's.
TO_BE_READ = re.compile(
    r"^(.{0,60}?\b(?:summari[sz]e|tl;?dr|translate|proofread|rewrite|paraphrase|analy[sz]e"
    r"|fass\w*|zusammenfass\w*|übersetz\w*|korrigier\w*|resum\w*|traduc\w*|traduis\w*|résum\w*|traduci)\b"
    r"[^:\n]{0,80}:)\s{0,20}\S[\s\S]*",
    re.IGNORECASE,
)
ONE_FORM = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
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
    """Say whether a quote stands in a text.

    Compatible characters, cases, quotation marks, dashes and runs of white space are one.
    """
    plain = _plain(quote).strip(TRIMMED)
    return bool(plain) and plain in _plain(text)


def own_words(text: str) -> str:
    """Return a message without the words of others: fenced, quoted, forwarded and pasted ones."""
    kept = FORWARDED.split("\n".join(_own_lines(text)), maxsplit=1)[0]
    return QUOTATION.sub(_unless_short, TO_BE_READ.sub(r"\1", kept))


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


def _unless_short(found: re.Match[str]) -> str:
    """Keep a title or a name between quotation marks; a sentence is somebody's."""
    return found[0] if len(found[0].split()) < SHORTEST_QUOTATION else " "


def _plain(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(normal.translate(ONE_FORM).split())

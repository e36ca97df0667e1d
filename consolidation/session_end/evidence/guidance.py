"""Facts that really say how to answer, and the rules that say it already (pure)."""

import re

from consolidation.session_end.evidence.clusters import ComparedCandidate
from consolidation.verdict import FactCandidate
from ranking.overlap import are_alike, shared

CATEGORIES = frozenset({"coping_strategy"})
SHARED_WITH_CUE = 2
# Beginnings of the words by which people speak of answers and of help.
CUES = re.compile(
    r"\b(answer|repl(?:y|ies)|respon[ds]|explain|explanation|advice|advise|suggest|remind|listen"
    r"|questions?|brief|concise|short|step by step|bullet|tone|language"
    r"|antwort|erklär|vorschl|kurz|rat\b|respuest|explic|consej|breve|répon|expliqu|conseil|bref"
    r"|ответ|отвеч|объясн|совет|коротк|кратк)"
    r"|(回答|答え|説明|解释|建议|简短|短く|대답|설명)"
)


def is_guidance(fact: FactCandidate) -> bool:
    """Say whether a fact is really about how the user wishes to be answered."""
    return fact.category in CATEGORIES or bool(_cues(f"{fact.object} {fact.quote}"))


def is_said_by(
    fact: FactCandidate, look: ComparedCandidate, rule: str, rule_look: ComparedCandidate
) -> bool:
    """Say whether a rule says already what the guidance of a fact says."""
    if are_alike(look.said, rule_look.said):
        return True
    has_cue = bool(_cues(f"{fact.object} {fact.quote}") & _cues(rule))
    return has_cue and shared(look.said, rule_look.said) >= SHARED_WITH_CUE


def _cues(text: str) -> set[str]:
    return {latin or other for latin, other in CUES.findall(text.casefold())}

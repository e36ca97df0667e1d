"""Which held candidates a session bears out (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from consolidation.session_end.evidence.clusters import (
    ComparedCandidate,
    Held,
    Item,
    clusters,
    look,
)
from consolidation.session_end.evidence.guidance import is_guidance, is_said_by
from consolidation.verdict import FactCandidate, RuleCandidate, VerdictCode
from ranking.overlap import Words, contains, shared, words

ENOUGH_TURNS = 2
ENOUGH_ARC = 2
SURE_TURNS = 3
MOST_EVIDENCE = 3
SUPPORTING_TOKENS = 2


@dataclass(frozen=True, slots=True)
class Grounds:
    """What candidates are held against: the user's turns, the session's arc, and earlier arcs.

    `arc` says nothing when the session has none; `earlier` never holds the session's own.
    """

    turns: Sequence[Words]
    arc: Words
    earlier: Sequence[Words]
    language: str


@dataclass(frozen=True, slots=True)
class Support:
    """How far candidates are borne out: by turns, by the session's arc, by earlier sessions."""

    turns: int
    arc: int
    prior: int


@dataclass(frozen=True, slots=True)
class SupportDecision(Generic[Item]):
    """What becomes of candidates that say the same; `item` stands for all of them."""

    members: tuple[int, ...]
    item: Item
    code: VerdictCode

    @property
    def is_promoted(self) -> bool:
        return self.code is VerdictCode.LLM_POLICY or self.code.startswith("promotion.")


def grounds(*, turns: Sequence[str], arc: str, earlier: Sequence[str], language: str) -> Grounds:
    said = [words(turn, language) for turn in turns]
    return Grounds(said, words(arc, language), [words(one, language) for one in earlier], language)


def decide_rules(
    held: Sequence[Held[RuleCandidate]], held_against: Grounds
) -> list[SupportDecision[RuleCandidate]]:
    """Promote rules that two turns bear out; a third makes them sure."""
    found = []
    for members, looks in clusters(held, held_against.language):
        turns = support_of(members, looks, held_against).turns
        code = _let_in(members)
        if turns >= ENOUGH_TURNS:
            code = VerdictCode.PROMOTION_IMPLICIT_PREFERENCE
        found.append(SupportDecision(_ids(members), _rule_of(members, turns), code))
    return found


def decide_facts(
    held: Sequence[Held[FactCandidate]], held_against: Grounds, rules: Sequence[RuleCandidate]
) -> list[SupportDecision[FactCandidate]]:
    """Promote facts that are borne out, save guidance that one of the new `rules` gives already."""
    found = []
    for members, looks in clusters(held, held_against.language):
        is_gated = any(one.is_gated for one in members)
        code = code_of(support_of(members, looks, held_against), is_gated=is_gated)
        if code is VerdictCode.SKIP_UNSUPPORTED:
            code = _let_in(members)
        # What was said last is how it stands.
        item = members[-1].item
        if code is not VerdictCode.SKIP_UNSUPPORTED and _is_given(
            item, rules, held_against.language
        ):
            code = VerdictCode.SKIP_OVERLAP_PROCEDURAL
        found.append(SupportDecision(_ids(members), item, code))
    return found


def code_of(support: Support, *, is_gated: bool) -> VerdictCode:
    """Return why a fact is promoted, or that it is not; the session's arc never opens a gate."""
    if support.turns >= ENOUGH_TURNS:
        return VerdictCode.PROMOTION_REPETITION
    if support.turns and support.arc >= ENOUGH_ARC and not is_gated:
        return VerdictCode.PROMOTION_TRANSCRIPT_AND_ARC
    if support.turns and support.prior:
        return VerdictCode.PROMOTION_PRIOR_SESSION
    return VerdictCode.SKIP_UNSUPPORTED


def support_of(
    members: Sequence[Held[Item]], looks: Sequence[ComparedCandidate], held_against: Grounds
) -> Support:
    sources = len({one.item.turn for one in members})
    repeated = _bearing_out(held_against.turns, looks)
    arc = max(arc_score(held_against.arc, one) for one in looks)
    return Support(max(sources, repeated), arc, _bearing_out(held_against.earlier, looks))


def arc_score(arc: Words, found: ComparedCandidate) -> int:
    """Return 0 to 4: 2 when the thing itself is named, 1 each for two and for three shared tokens."""
    both = shared(arc, found.said)
    named = 2 if contains(arc, found.anchor) else 0
    return named + int(both >= SUPPORTING_TOKENS) + int(both > SUPPORTING_TOKENS)


def _bearing_out(texts: Sequence[Words], looks: Sequence[ComparedCandidate]) -> int:
    """Count the texts that name the thing, or share two tokens with what was said of it."""
    return sum(
        any(
            contains(text, one.anchor) or shared(text, one.said) >= SUPPORTING_TOKENS
            for one in looks
        )
        for text in texts
    )


def _let_in(members: Sequence[Held[Item]]) -> VerdictCode:
    """Return the code of what the gate let in at once, and was not written for some failure."""
    return (
        VerdictCode.LLM_POLICY
        if any(one.is_let_in for one in members)
        else VerdictCode.SKIP_UNSUPPORTED
    )


def _is_given(fact: FactCandidate, rules: Sequence[RuleCandidate], language: str) -> bool:
    if not is_guidance(fact):
        return False
    mine = look(fact, language)
    return any(is_said_by(fact, mine, rule.text, look(rule, language)) for rule in rules)


def _rule_of(members: Sequence[Held[RuleCandidate]], turns: int) -> RuleCandidate:
    quotes = dict.fromkeys(quote for one in members for quote in one.item.evidence)
    return replace(
        members[-1].item,
        confidence="high" if turns >= SURE_TURNS else "medium",
        evidence=tuple(quotes)[:MOST_EVIDENCE],
    )


def _ids(members: Sequence[Held[Item]]) -> tuple[int, ...]:
    return tuple(one.id for one in members)

"""The two lanes: what each asks of a turn, and the candidates that it reads from the answer."""

from collections.abc import Callable, Mapping
from typing import cast

from consolidation import prompts
from consolidation.learning.gate.evidence import source_class
from consolidation.learning.gate.policy import judge_fact, judge_rule
from consolidation.learning.turn import Turn
from consolidation.models import Candidate
from consolidation.verdict import FactCandidate, FactOrRule, RuleCandidate, Verdict
from extraction.contracts.learning import ExtractedFact, ExtractedRule
from memory.redaction import redacted
from providers.chat import ChatModel

Payload = Mapping[str, object]


def find_facts(model: ChatModel, turn: Turn, seconds: float) -> list[FactOrRule]:
    answer = model.complete(prompts.semantic_extraction(turn.lines), seconds=seconds).value
    return [_fact(found, turn) for found in answer.facts]


def find_rules(model: ChatModel, turn: Turn, seconds: float) -> list[FactOrRule]:
    answer = model.complete(prompts.procedural_extraction(turn.lines), seconds=seconds).value
    return [_rule(found, turn) for found in answer.rules]


Find = Callable[[ChatModel, Turn, float], list[FactOrRule]]
LANES: dict[str, Find] = {
    Candidate.Lane.SEMANTIC: find_facts,
    Candidate.Lane.PROCEDURAL: find_rules,
}


def judge(model: ChatModel, candidate: FactOrRule, turn: Turn, seconds: float) -> Verdict:
    """Return the gate's verdict. Raises ProviderFault."""
    if isinstance(candidate, RuleCandidate):
        return judge_rule(model, candidate, turn.lines, seconds=seconds)
    return judge_fact(model, candidate, turn.lines, seconds=seconds)


def candidate_of(lane: str, payload: Payload) -> FactOrRule:
    """Read back what was kept of a candidate."""
    # It was written by asdict, so the names and types are the class's own.
    if lane == Candidate.Lane.SEMANTIC:
        return FactCandidate(**cast("dict[str, str]", payload))  # type: ignore[arg-type]
    return RuleCandidate(**cast("dict[str, str]", payload))  # type: ignore[arg-type]


def _fact(found: ExtractedFact, turn: Turn) -> FactCandidate:
    quote = redacted(found.evidence_quote)
    return FactCandidate(
        category=found.category.value,
        subject_type=found.subject.type.value,
        subject=redacted(found.subject.identifier),
        predicate=found.predicate.value,
        object_type=found.object.type.value,
        object=redacted(found.object.identifier),
        quote=quote,
        confidence=found.confidence.value,
        source_event=turn.ref,
        turn=turn.seq,
        source_class=source_class([quote], turn.lines),
    )


def _rule(found: ExtractedRule, turn: Turn) -> RuleCandidate:
    quotes = tuple(map(redacted, found.evidence))
    return RuleCandidate(
        text=redacted(found.rule),
        confidence=found.confidence.value,
        source_event=turn.ref,
        turn=turn.seq,
        evidence=quotes,
        source_class=source_class(quotes, turn.lines),
    )

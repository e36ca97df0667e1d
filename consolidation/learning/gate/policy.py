"""The gate: local checks, the model's judgement, local clamps; then a verdict, or none."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from consolidation.learning.gate.guards import (
    fact_shaped_rule,
    memory_control,
    negative_self_belief,
    not_at_once,
    not_quoted,
    provenance,
    safety_conflict,
    secret,
    sensitive_category,
    turn_scoped,
    untrusted_source,
)
from consolidation.learning.gate.questions import procedural_policy, semantic_policy
from consolidation.learning.gate.ruling import Clamp, Ruling
from consolidation.verdict import (
    REASON_CHARACTERS,
    Action,
    FactCandidate,
    RuleCandidate,
    Verdict,
    VerdictCode,
)
from providers.chat import ChatModel, Line

One = TypeVar("One", FactCandidate, RuleCandidate)
Check = Callable[[One, str], VerdictCode | None]
Clamping = Callable[[One, Ruling], Clamp | None]

# Each in its order: the first check that objects ends it, every clamp sees what those before left.
FACT_CHECKS: tuple[Check[FactCandidate], ...] = (
    provenance.check,
    memory_control.check,
    secret.check,
    untrusted_source.check,
    not_quoted.check,
)
FACT_CLAMPS: tuple[Clamping[FactCandidate], ...] = (
    safety_conflict.clamp,
    turn_scoped.clamp,
    sensitive_category.clamp,
    negative_self_belief.clamp,
    not_at_once.clamp,
)
RULE_CHECKS: tuple[Check[RuleCandidate], ...] = (
    memory_control.check,
    secret.check,
    untrusted_source.check,
    not_quoted.check,
)
RULE_CLAMPS: tuple[Clamping[RuleCandidate], ...] = (
    safety_conflict.clamp,
    turn_scoped.clamp,
    fact_shaped_rule.clamp,
    not_at_once.clamp,
)


OUTRIGHT_CHECKS: tuple[Check[RuleCandidate], ...] = (
    memory_control.check,
    secret.check,
    not_quoted.check,
)


def objection_to(text: str) -> VerdictCode | None:
    """Return why a text that somebody asks to keep is not kept; None where nothing objects.

    No model is asked, and nothing is held back: who says it outright has decided.
    """
    candidate = RuleCandidate(text, "high", "", 0, evidence=(text,))
    code = next((code for check in OUTRIGHT_CHECKS if (code := check(candidate, text))), None)
    clamp = safety_conflict.clamp(candidate, Ruling(Action.COMMIT_NOW, "", "high"))
    return code or (clamp.code if clamp else None)


def judge_fact(
    model: ChatModel,
    candidate: FactCandidate,
    lines: Sequence[Line],
    *,
    seconds: float | None = None,
) -> Verdict:
    """Return the verdict on a fact; the last line is what the user just said.

    Raises ProviderFault: without the model's judgement there is no verdict, and nothing is written.
    """
    code = _objection(FACT_CHECKS, candidate, lines)
    if code:
        return Verdict(Action.DROP, code)
    said = model.complete(semantic_policy(candidate, lines), seconds=seconds).value
    ruling = Ruling(Action(said.action.value), said.reason, said.confidence.value)
    return _clamped(FACT_CLAMPS, candidate, ruling)


def judge_rule(
    model: ChatModel,
    candidate: RuleCandidate,
    lines: Sequence[Line],
    *,
    seconds: float | None = None,
) -> Verdict:
    """Return the verdict on a rule; the last line is what the user just said.

    Raises ProviderFault: without the model's judgement there is no verdict, and nothing is written.
    """
    code = _objection(RULE_CHECKS, candidate, lines)
    if code:
        return Verdict(Action.DROP, code)
    said = model.complete(procedural_policy(candidate, lines), seconds=seconds).value
    action = Action(said.action.value)
    ruling = Ruling(action, said.reason, said.confidence.value, said.safety_conflict)
    return _clamped(RULE_CLAMPS, candidate, ruling)


def _objection(
    checks: Sequence[Check[One]], candidate: One, lines: Sequence[Line]
) -> VerdictCode | None:
    said = lines[-1].text if lines else ""
    return next((code for check in checks if (code := check(candidate, said))), None)


def _clamped(clamps: Sequence[Clamping[One]], candidate: One, ruling: Ruling) -> Verdict:
    code = VerdictCode.LLM_POLICY
    for clamp in clamps:
        found = None if ruling.action is Action.DROP else clamp(candidate, ruling)
        if found:
            ruling, code = replace(ruling, action=found.action), found.code
    return Verdict(ruling.action, code, ruling.reason[:REASON_CHARACTERS])

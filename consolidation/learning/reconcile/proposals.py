"""Candidates and what was decided about them, as changes to make."""

from collections.abc import Mapping
from uuid import UUID

from consolidation.learning.reconcile.matching import Act, Decision
from consolidation.verdict import FactCandidate, RuleCandidate, Verdict
from knowledge.changes.apply import Evidence, ItemChange
from knowledge.models import ChangeItem, Changeset, Rule
from knowledge.models.learned import SourceClass, Timing

REASON_CHARACTERS = 240
# Whatever else a text came from may be kept, and never counts.
TRUSTED = (SourceClass.OPERATOR, SourceClass.USER_DIRECT, SourceClass.AGENT_INFERENCE)
PROMOTION = "promotion."


def fact_fields(candidate: FactCandidate) -> dict[str, object]:
    """Return what a fact says, as the model's fields."""
    return {
        "category": candidate.category,
        "subject_type": candidate.subject_type,
        "subject": candidate.subject,
        "predicate": candidate.predicate,
        "object_type": candidate.object_type,
        "object": candidate.object,
        "evidence_quote": candidate.quote,
        "confidence": candidate.confidence,
        "source_turn": candidate.turn,
        **(statement_fields(candidate) if candidate.op else {}),
    }


def statement_fields(candidate: FactCandidate) -> dict[str, object]:
    """Return what a fact says that stands in one sentence of its own."""
    return {
        "statement": candidate.statement,
        "happened": candidate.happened,
        "holds_until": candidate.holds_until or None,
        "durability": candidate.durability,
        "basis": candidate.basis,
        "sensitivity": candidate.sensitivity,
    }


def rule_fields(candidate: RuleCandidate, origin: str) -> dict[str, object]:
    """Return what a rule says, as the model's fields; at a session's end nobody said it in so many words."""
    is_explicit = origin == Changeset.Origin.TURN
    return {
        "text": candidate.text,
        "evidence": list(candidate.evidence),
        "confidence": candidate.confidence,
        "source": Rule.Source.EXPLICIT_USER if is_explicit else Rule.Source.CONSOLIDATION,
    }


def source_fields(
    candidate: FactCandidate | RuleCandidate, verdict: Verdict, session: UUID, origin: str
) -> dict[str, object]:
    """Return where an item came from and why it was written."""
    said = f"{verdict.code.value}: {verdict.reason}" if verdict.reason else verdict.code.value
    return {
        "source_class": candidate.source_class,
        "is_quarantined": not is_trusted(candidate),
        "source_session": session,
        "source_events": [candidate.source_event] if candidate.source_event else [],
        "write_timing": _timing(verdict, origin),
        "write_reason": said[:REASON_CHARACTERS],
        "policy_version": verdict.policy_version,
    }


def is_trusted(candidate: FactCandidate | RuleCandidate) -> bool:
    return candidate.source_class in TRUSTED


def may_replace(candidate: FactCandidate | RuleCandidate) -> bool:
    """Say whether it may take the place of what the user said: only the user's own words do."""
    return is_trusted(candidate) and candidate.source_class != SourceClass.AGENT_INFERENCE


def changes_of(
    *,
    kind: str,
    fields: Mapping[str, object],
    evidence: Evidence,
    verdict: Verdict,
    decision: Decision,
    id: UUID,
    waits: bool = False,
) -> list[ItemChange]:
    """Return the changes a decision asks for, the new item with this id before what it replaces."""

    def change(act: str, target: UUID, fields: Mapping[str, object], reason: str) -> ItemChange:
        return ItemChange(
            kind=kind,
            act=act,
            target=target,
            fields=fields,
            evidence=evidence,
            code=verdict.code.value,
            reason=reason[:REASON_CHARACTERS],
            policy_version=verdict.policy_version,
            waits=waits,
        )

    if decision.act is Act.SKIP:
        return []
    if decision.act is Act.BUMP:
        return [change(ChangeItem.Act.BUMP, one, {}, decision.reason) for one in decision.targets]
    retire = ChangeItem.Act.RETIRE
    if decision.act is Act.RETIRE:
        fate = {"superseded_by": decision.fate}
        return [change(retire, one, fate, verdict.reason) for one in decision.targets]
    successor = {"superseded_by": str(id)}
    retired = decision.targets if decision.act is Act.SUPERSEDE else ()
    return [
        change(ChangeItem.Act.ADD, id, fields, verdict.reason),
        *(change(retire, one, successor, decision.reason) for one in retired),
    ]


def evidence_of(candidate: FactCandidate | RuleCandidate) -> Evidence:
    if isinstance(candidate, FactCandidate):
        quote = candidate.quote
    else:
        quote = candidate.evidence[0] if candidate.evidence else ""
    return Evidence(quote, candidate.source_event, candidate.confidence)


def _timing(verdict: Verdict, origin: str) -> Timing:
    if verdict.code.value.startswith(PROMOTION):
        return Timing.PROMOTION
    return Timing.IMMEDIATE if origin == Changeset.Origin.TURN else Timing.SESSION_END

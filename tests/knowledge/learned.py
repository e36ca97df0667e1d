"""What is learned of alice, as the changes that write it."""

from uuid import UUID

from accounts.ids import new_id
from accounts.owners import resolve_owner
from knowledge.changes.apply import Evidence, ItemChange, apply_changes
from knowledge.models import Arc, Changeset, Fact, Rule
from tests.factories import WHEN

WHY = {"write_timing": "immediate", "write_reason": "llm_policy", "policy_version": "gate-1"}


def owner_of(agent, user: str = "alice"):
    return resolve_owner(agent=agent, user=user)


def fact_fields(object: str = "Lyon", quote: str = "I live in Lyon.", **fields) -> dict:
    return {
        "category": "context",
        "subject_type": "User",
        "subject": "alice",
        "predicate": "EXPERIENCED",
        "object_type": "Event",
        "object": object,
        "evidence_quote": quote,
        "confidence": "high",
        **WHY,
        **fields,
    }


def rule_fields(text: str = "You answer briefly.", **fields) -> dict:
    evidence = fields.pop("evidence", [f"Please: {text}"])
    return {"text": text, "evidence": evidence, "confidence": "high", "source": "manual"} | {
        **WHY,
        **fields,
    }


def arc_fields(session: UUID, **fields) -> dict:
    times = {"started_at": WHEN, "ended_at": WHEN, "turn_count": 3}
    return {"session": session, "summary": "Moving.", **times, **WHY, **fields}


def change(kind: str, act: str, target: UUID | None = None, fields=None, confidence="high"):
    evidence = Evidence("I live in Lyon.", "ev-1", confidence)
    return ItemChange(kind, act, target, fields or {}, evidence, "llm_policy", "said so", "gate-1")


def added(kind: str = "fact", fields=None, confidence="high", id: UUID | None = None):
    usual = fact_fields() if kind == "fact" else rule_fields()
    return change(kind, "add", id or new_id(), fields or usual, confidence)


def replaced(target: UUID, by: UUID, kind: str = "fact"):
    return change(kind, "retire", target, {"superseded_by": str(by)})


def changed(owner, *changes, key: str | None = None, origin: str = "turn") -> Changeset:
    return apply_changes(
        owner=owner, origin=origin, run_key=key or str(new_id()), changes=list(changes)
    )


def state_of(owner) -> list:
    """Return every learned row of an owner, field by field."""
    return [
        sorted(model.objects.filter(owner=owner).values_list(), key=str)
        for model in (Fact, Arc, Rule)
    ]

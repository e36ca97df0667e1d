"""Candidates as an extraction gives them, and a model that rules as a test wants."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from consolidation.verdict import FactCandidate, RuleCandidate
from providers.chat import Answer, Completion, Line, Task

EVENT = "ev-" + "0" * 32


def fact(quote: str = "My sister is called Ana", **fields: Any) -> FactCandidate:
    given: dict[str, Any] = {
        "category": "relationship",
        "subject_type": "User",
        "subject": "user",
        "predicate": "KNOWS",
        "object_type": "Person",
        "object": "sister Ana",
        "confidence": "high",
        "source_event": EVENT,
        "turn": 1,
    }
    return FactCandidate(quote=quote, **(given | fields))


def rule(
    text: str = "Answer briefly.", quote: str = "From now on answer briefly", **fields: Any
) -> RuleCandidate:
    given: dict[str, Any] = {
        "confidence": "high",
        "source_event": EVENT,
        "turn": 1,
        "evidence": (quote,),
    }
    return RuleCandidate(text=text, **(given | fields))


def lines(said: str) -> list[Line]:
    return [Line("a", "assistant", "Good morning."), Line("b", "user", said)]


@dataclass
class Judge:
    """Rules the same of everything, and counts how often it was asked."""

    ruling: Mapping[str, object]
    asked: list[Task[Any]] = field(default_factory=list)
    name = "judge"
    model = "judge"

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        self.asked.append(task)
        return Completion(task.answer.model_validate(self.ruling), self.model, 0, 0)


def of_facts(action: str = "commit_now", confidence: str = "high") -> Judge:
    return Judge({"action": action, "reason": "Plain.", "confidence": confidence})


def of_rules(
    action: str = "commit_now", confidence: str = "high", *, conflict: bool = False
) -> Judge:
    said = {"action": action, "reason": "Plain.", "confidence": confidence}
    return Judge(said | {"safety_conflict": conflict})

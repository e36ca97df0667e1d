"""Changes made again in their order, up to a moment (pure)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

Fields = Mapping[str, object]
LEARNED = ("fact", "arc", "rule")


@dataclass(frozen=True, slots=True)
class PastChange:
    """One change that was made: `at` is when, `run` its changeset, `origin` who made that.

    `after` are the fields it wrote. It is None where they were deleted for good since: such a step
    brings nothing back.
    """

    at: datetime
    run: UUID
    origin: str
    kind: str
    act: str
    target: UUID | None
    after: Fields | None


@dataclass(frozen=True, slots=True)
class Was:
    """A fact, an arc or a rule with the fields it had; `at` is when it was learned."""

    kind: str
    id: UUID
    at: datetime
    fields: Fields

    @property
    def is_active(self) -> bool:
        hidden = ("dormant_at", "superseded_by", "is_quarantined")
        return bool(self.fields.get("user_visible")) and not any(map(self.fields.get, hidden))


@dataclass(slots=True)
class PastMemory:
    """What was known at a moment: every item, active or not, and the picture of the user.

    `leaves` are the scaffold's, each under its JSON Pointer.
    """

    at: datetime
    items: dict[UUID, Was] = field(default_factory=dict)
    narrative: str = ""
    leaves: dict[str, object] = field(default_factory=dict)
    proactive_recall: bool = False

    def active(self, kind: str) -> list[Was]:
        """Return what counted, the newest first."""
        found = [one for one in self.items.values() if one.kind == kind and one.is_active]
        return sorted(found, key=lambda one: (one.at, one.id), reverse=True)


def replay(steps: Iterable[PastChange], at: datetime) -> PastMemory:
    """Return what the steps until a moment, in their order, amount to."""
    memory = PastMemory(at)
    for step in steps:
        if step.at <= at:
            _make(memory, step)
    return memory


def _make(memory: PastMemory, step: PastChange) -> None:
    if step.kind in LEARNED:
        _learn(memory, step)
    elif step.kind == "narrative":
        memory.narrative = str((step.after or {}).get("text", ""))
    elif step.after is None:
        return
    elif step.kind == "scaffold":
        _set_leaf(memory, step.after)
    elif step.kind == "profile":
        memory.proactive_recall = bool(step.after.get("proactive_recall_enabled"))


def _learn(memory: PastMemory, step: PastChange) -> None:
    if step.target is None:
        return
    if step.act == "delete":
        memory.items.pop(step.target, None)
        return
    known = memory.items.get(step.target)
    # Whatever is still said of an item whose words are gone does not bring it back.
    if step.after is None or (known is None and step.act != "add"):
        return
    before = known.fields if known else {}
    at = known.at if known else step.at
    memory.items[step.target] = Was(step.kind, step.target, at, {**before, **step.after})


def _set_leaf(memory: PastMemory, after: Fields) -> None:
    path = str(after.get("path", ""))
    if "value" in after:
        memory.leaves[path] = after["value"]
    else:
        memory.leaves.pop(path, None)

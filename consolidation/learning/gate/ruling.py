"""What the model said of a candidate, before the gate's own rules (pure)."""

from dataclasses import dataclass

from consolidation.verdict import Action, VerdictCode


@dataclass(frozen=True, slots=True)
class Ruling:
    """`confidence` is low, medium or high."""

    action: Action
    reason: str
    confidence: str
    safety_conflict: bool = False


@dataclass(frozen=True, slots=True)
class Clamp:
    """What a guard makes of a ruling."""

    action: Action
    code: VerdictCode

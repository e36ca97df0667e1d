"""What the gate decides, and about what (pure)."""

from dataclasses import dataclass, field
from enum import StrEnum

POLICY_VERSION = "gate-1"
REASON_CHARACTERS = 240


class Action(StrEnum):
    """What becomes of a candidate."""

    COMMIT_NOW = "commit_now"
    SESSION_END = "commit_at_session_end"
    REPETITION = "require_repetition"
    DROP = "drop"


class VerdictCode(StrEnum):
    """Why; stable, for logs and filters."""

    PROVENANCE = "guard.provenance"
    MEMORY_CONTROL = "guard.memory_control"
    TURN_SCOPED = "guard.turn_scoped"
    SENSITIVE_CATEGORY = "guard.sensitive_category"
    NEGATIVE_SELF_BELIEF = "guard.negative_self_belief"
    SAFETY_CONFLICT = "guard.safety_conflict"
    FACT_SHAPED_RULE = "guard.fact_shaped_rule"
    NOT_QUOTED = "guard.not_quoted"
    UNTRUSTED_SOURCE = "guard.untrusted_source"
    SECRET = "guard.secret"  # noqa: S105 - a code
    TOMBSTONE = "guard.tombstone"
    INCOGNITO = "guard.incognito"
    SESSION_MEMORY_CONTROL = "guard.session_memory_control"
    NOT_AT_ONCE = "guard.not_at_once"
    NOT_ALONE = "guard.not_alone"
    BAD_DATE = "guard.bad_date"
    UNKNOWN_TARGET = "guard.unknown_target"
    UNKNOWN_KIND = "guard.unknown_kind"
    PASSING = "guard.passing"
    RISKY_RULE = "guard.risky_rule"
    LLM_POLICY = "llm_policy"
    PROMOTION_REPETITION = "promotion.repetition"
    PROMOTION_TRANSCRIPT_AND_ARC = "promotion.transcript_and_arc"
    PROMOTION_PRIOR_SESSION = "promotion.prior_session"
    PROMOTION_IMPLICIT_PREFERENCE = "promotion.implicit_preference"
    SKIP_UNSUPPORTED = "skip.unsupported"
    SKIP_OVERLAP_PROCEDURAL = "skip.overlap_procedural"
    ERROR_POLICY_LLM = "error.policy_llm"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of a candidate; `reason` is the model's own words, at most 240 characters."""

    action: Action
    code: VerdictCode
    reason: str = ""
    policy_version: str = POLICY_VERSION


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """Something a turn may have taught of the user. `quote` is the user's own words, 1 to 280 characters.

    `source_event` is the reference of the user's event, `turn` its number in its lane. What follows
    `source_class` is filled where a turn is asked about as a whole: `op` is what is done to the
    facts that `targets` name, `entity` the id of the entity it is about or empty, and
    `entity_kind` empty for the user.
    """

    category: str
    subject_type: str
    subject: str
    predicate: str
    object_type: str
    object: str
    quote: str
    confidence: str
    source_event: str
    turn: int
    source_class: str = "user_direct"
    op: str = ""
    targets: tuple[str, ...] = ()
    statement: str = ""
    happened: str = ""
    holds_until: str = ""
    durability: str = ""
    basis: str = ""
    sensitivity: str = ""
    entity: str = ""
    entity_kind: str = ""
    relation: str = ""

    def __post_init__(self) -> None:
        # Read back from JSON it is a list.
        object.__setattr__(self, "targets", tuple(self.targets))


@dataclass(frozen=True, slots=True)
class RuleCandidate:
    """A way of answering that the user may have asked for, in the second person.

    `op` is what is done to the rules that `targets` name; empty where a model is asked. One that
    `waits` counts only once the person has said yes.
    """

    text: str
    confidence: str
    source_event: str
    turn: int
    evidence: tuple[str, ...] = field(default=())
    source_class: str = "user_direct"
    op: str = ""
    targets: tuple[str, ...] = ()
    waits: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", tuple(self.evidence))
        object.__setattr__(self, "targets", tuple(self.targets))


FactOrRule = FactCandidate | RuleCandidate

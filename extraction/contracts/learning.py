"""The contracts of what a chat model answers about learning. As strict as the others."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from providers.answers import Contract, Text

QUOTE_CHARACTERS = 280
REASON_CHARACTERS = 240
MOST_CANDIDATES = 20
MOST_INDEXES = 50


class Sure(StrEnum):
    """How sure a model is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class CounsellingCategory(StrEnum):
    LOSS = "loss"
    PREFERENCE = "preference"
    COPING_STRATEGY = "coping_strategy"
    RELATIONSHIP = "relationship"
    TRIGGER = "trigger"
    GOAL = "goal"
    CONTEXT = "context"


class FactPredicate(StrEnum):
    KNOWS = "KNOWS"
    WORRIES_ABOUT = "WORRIES_ABOUT"
    EXPERIENCED = "EXPERIENCED"
    USES = "USES"
    WANTS = "WANTS"
    PARTICIPATED_IN = "PARTICIPATED_IN"
    MENTIONED_IN = "MENTIONED_IN"


class EntityKind(StrEnum):
    USER = "User"
    PERSON = "Person"
    CONCERN = "Concern"
    EVENT = "Event"
    COPING_STRATEGY = "CopingStrategy"
    GOAL = "Goal"
    SESSION = "Session"
    TURN = "Turn"


Confidence = Annotated[Sure, Field(strict=False)]
Identifier = Annotated[str, Text, Field(max_length=200)]
Quote = Annotated[str, Text, Field(max_length=QUOTE_CHARACTERS)]
Reason = Annotated[str, Text, Field(max_length=REASON_CHARACTERS)]
Index = Annotated[int, Field(ge=0, le=1_000)]
Indexes = Annotated[list[Index], Field(max_length=MOST_INDEXES)]
Thread = Annotated[str, Text, Field(max_length=80)]


class EntityRef(Contract):
    type: Annotated[EntityKind, Field(strict=False)]
    identifier: Identifier


class ExtractedFact(Contract):
    """One fact in the user's own words; `evidence_quote` must stand in the current message."""

    category: Annotated[CounsellingCategory, Field(strict=False)]
    subject: EntityRef
    predicate: Annotated[FactPredicate, Field(strict=False)]
    object: EntityRef
    evidence_quote: Quote
    confidence: Confidence


class SemanticExtraction(Contract):
    """What the current message says of the user; an empty list is the usual answer."""

    facts: Annotated[list[ExtractedFact], Field(max_length=MOST_CANDIDATES)]
    reason: Reason


class ExtractedRule(Contract):
    """A way of answering that the user asked for, in the second person."""

    rule: Quote
    evidence: Annotated[list[Quote], Field(min_length=1, max_length=10)]
    confidence: Confidence


class ProceduralExtraction(Contract):
    rules: Annotated[list[ExtractedRule], Field(max_length=MOST_CANDIDATES)]
    reason: Reason


class PolicyAction(StrEnum):
    COMMIT_NOW = "commit_now"
    SESSION_END = "commit_at_session_end"
    REPETITION = "require_repetition"
    DROP = "drop"


class SemanticPolicy(Contract):
    action: Annotated[PolicyAction, Field(strict=False)]
    reason: Reason
    confidence: Confidence


class RuleAction(StrEnum):
    COMMIT_NOW = "commit_now"
    SESSION_END = "commit_at_session_end"
    DROP = "drop"


class ProceduralPolicy(Contract):
    """`safety_conflict` is true for a rule that would keep help from someone in danger."""

    action: Annotated[RuleAction, Field(strict=False)]
    reason: Reason
    confidence: Confidence
    safety_conflict: bool


class FactMatch(StrEnum):
    BUMP = "bump"
    SUPERSEDE = "supersede"
    COEXIST = "coexist"


class SemanticReconciliation(Contract):
    """What a new fact does to the known ones; indexes count from 0 in the list that was shown."""

    action: Annotated[FactMatch, Field(strict=False)]
    record_indexes: Indexes
    reason: Reason
    confidence: Confidence


class RuleMatch(StrEnum):
    APPEND = "append"
    REPLACE = "replace"
    SKIP = "skip"


class ProceduralReconciliation(Contract):
    action: Annotated[RuleMatch, Field(strict=False)]
    replace_indexes: Indexes
    reason: Reason
    confidence: Confidence


class SessionArc(Contract):
    """What a session was about."""

    summary: Annotated[str, Text, Field(max_length=600)]
    primary_themes: Annotated[list[Thread], Field(max_length=3)]
    mood_opened: Annotated[str, Field(max_length=40)]
    mood_closed: Annotated[str, Field(max_length=40)]
    open_loops: Annotated[list[Thread], Field(max_length=20)]
    resolved_threads: Annotated[list[Thread], Field(max_length=20)]


class ArcSummary(Contract):
    """An arc, or None when nothing of substance was said."""

    arc: SessionArc | None
    reason: Reason

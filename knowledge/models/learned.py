"""What was learned of a person through the gate: facts, arcs of sessions, rules."""

from typing import Self, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from pgvector.django import HalfVectorField

from accounts.ids import new_id
from accounts.models import Owner
from accounts.parts import joined, parts_of
from accounts.scope import Scope
from memory.models import EmbeddingSpace

# All that a question is compared with, and all that a person's search looks at.
PARTS_OF_FACT = parts_of("object", "subject", "predicate", "evidence_quote", "category")
PARTS_OF_ARC = parts_of(
    "summary", joined("themes"), joined("open_loops"), joined("resolved_threads")
)
PARTS_OF_RULE = parts_of("text", joined("evidence"))
# What counts, and nothing else: the index alone can then count it.
ACTIVE = models.Q(
    user_visible=True, dormant_at__isnull=True, superseded_by="", is_quarantined=False
)


class Confidence(models.TextChoices):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Timing(models.TextChoices):
    """When an item was written: in its turn, at its session's end, or by a person."""

    IMMEDIATE = "immediate"
    SESSION_END = "session_end"
    PROMOTION = "promotion"
    MANUAL = "manual"


class SourceClass(models.TextChoices):
    """Where the words came from, the most trusted first."""

    OPERATOR = "operator"
    USER_DIRECT = "user_direct"
    AGENT_INFERENCE = "agent_inference"
    TOOL_OUTPUT = "tool_output"
    OTHER_AGENT = "other_agent"
    IMPORTED = "imported"


class Category(models.TextChoices):
    """The kinds of facts: the seven of the counselling policy, then those of the assistant's."""

    LOSS = "loss"
    PREFERENCE = "preference"
    COPING_STRATEGY = "coping_strategy"
    RELATIONSHIP = "relationship"
    TRIGGER = "trigger"
    GOAL = "goal"
    CONTEXT = "context"
    IDENTITY = "identity"
    HOME = "home"
    WORK = "work"
    HEALTH = "health"
    DIET = "diet"
    POSSESSION = "possession"
    SKILL = "skill"
    ROUTINE = "routine"
    PLAN = "plan"
    EVENT = "event"
    PROJECT = "project"
    DECISION = "decision"
    NOTE = "note"


class Predicate(models.TextChoices):
    KNOWS = "KNOWS"
    WORRIES_ABOUT = "WORRIES_ABOUT"
    EXPERIENCED = "EXPERIENCED"
    USES = "USES"
    WANTS = "WANTS"
    PARTICIPATED_IN = "PARTICIPATED_IN"
    MENTIONED_IN = "MENTIONED_IN"
    DESCRIBED_AS = "DESCRIBED_AS"


class EntityType(models.TextChoices):
    USER = "User"
    PERSON = "Person"
    CONCERN = "Concern"
    EVENT = "Event"
    COPING_STRATEGY = "CopingStrategy"
    GOAL = "Goal"
    SESSION = "Session"
    TURN = "Turn"
    ANIMAL = "Animal"
    ORGANISATION = "Organisation"
    PLACE = "Place"
    THING = "Thing"
    PROJECT = "Project"
    STATEMENT = "Statement"


Row = TypeVar("Row", bound="Learned")


class LearnedQuerySet(models.QuerySet[Row]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def active(self) -> Self:
        """Keep what is neither superseded, hidden, nor in quarantine."""
        return self.filter(ACTIVE)

    def past(self) -> Self:
        """Keep what counted once, or would have, and is superseded or hidden by now."""
        once = self.filter(is_quarantined=False)
        return once.exclude(user_visible=True, dormant_at=None, superseded_by="")


class Learned(models.Model):
    """What every learned item carries: why it was written, from what, and whether it still counts.

    `superseded_by` is the id of the item that took its place, or a word such as `eviction`; empty
    while it counts. `version` goes up with each change by a person.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    source_class = models.CharField(
        max_length=15, choices=SourceClass, default=SourceClass.USER_DIRECT
    )
    source_session = models.UUIDField(null=True, blank=True)
    source_events = ArrayField(models.CharField(max_length=35), default=list, blank=True)
    derived_from = ArrayField(models.UUIDField(), default=list, blank=True)
    is_quarantined = models.BooleanField(default=False)
    is_pinned = models.BooleanField(default=False)
    user_visible = models.BooleanField(default=True)
    dormant_at = models.DateTimeField(null=True, blank=True)
    superseded_by = models.CharField(max_length=36, blank=True)
    write_timing = models.CharField(max_length=11, choices=Timing)
    write_reason = models.CharField(max_length=240)
    policy_version = models.CharField(max_length=40)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    last_referenced_at = models.DateTimeField(auto_now_add=True)

    objects = LearnedQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def is_active(self) -> bool:
        return (
            self.user_visible
            and self.dormant_at is None
            and not self.superseded_by
            and not self.is_quarantined
        )


class Entity(Learned):
    """A person or thing of an owner's life, to which facts point.

    One that was merged is superseded by the one it is merged into.
    """

    name = models.CharField(max_length=200)
    names = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    kind = models.CharField(max_length=14, choices=EntityType)
    relation = models.CharField(max_length=100, blank=True, help_text="To the user.")

    class Meta:
        indexes = (
            models.Index(fields=("owner", "-created_at"), condition=ACTIVE, name="entity_counts"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class Fact(Learned):
    """One thing the user said of their life: subject, predicate, object, and the quote it is from.

    `statement` is the fact in one sentence that stands alone; empty under the counselling policy.
    `happened` is a day, a month, a year, or two of them around a `/`. What holds until a day that
    is over is history. `about` is the entity it is about; None is the user.
    """

    category = models.CharField(max_length=15, choices=Category)
    subject_type = models.CharField(max_length=14, choices=EntityType)
    subject = models.CharField(max_length=200)
    predicate = models.CharField(max_length=15, choices=Predicate)
    object_type = models.CharField(max_length=14, choices=EntityType)
    object = models.CharField(max_length=200)
    evidence_quote = models.CharField(max_length=280)
    confidence = models.CharField(max_length=6, choices=Confidence)
    source_turn = models.PositiveIntegerField(default=0)
    statement = models.CharField(max_length=500, blank=True, default="", db_default="")
    said_at = models.DateTimeField(null=True, blank=True)
    happened = models.CharField(max_length=41, blank=True, default="", db_default="")
    holds_until = models.DateField(null=True, blank=True)
    durability = models.CharField(max_length=7, blank=True, default="", db_default="")
    basis = models.CharField(max_length=8, blank=True, default="", db_default="")
    sensitivity = models.CharField(max_length=9, blank=True, default="", db_default="")
    about = models.UUIDField(null=True, blank=True)
    embedding = HalfVectorField(null=True, blank=True)
    space = models.ForeignKey(EmbeddingSpace, models.SET_NULL, null=True, blank=True)

    class Meta:
        indexes = (
            models.Index(fields=("owner", "-created_at"), condition=ACTIVE, name="fact_counts"),
            GinIndex(PARTS_OF_FACT, name="fact_parts"),
            models.Index(
                fields=("owner", "category", "subject", "predicate"), name="fact_collision"
            ),
            models.Index(fields=("owner", "-is_pinned", "-id"), name="fact_shown"),
            models.Index(
                fields=("owner", "about"),
                condition=models.Q(about__isnull=False),
                name="fact_about",
            ),
            models.Index(
                fields=("owner", "superseded_by"),
                condition=~models.Q(superseded_by=""),
                name="fact_heirs",
            ),
        )

    def __str__(self) -> str:
        return f"[{self.category}] {self.predicate}"


class Arc(Learned):
    """What a whole session was about; at most one of a session."""

    session = models.UUIDField(unique=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    turn_count = models.PositiveIntegerField(help_text="Of the user.")
    themes = ArrayField(models.CharField(max_length=80), size=3, default=list, blank=True)
    summary = models.CharField(max_length=600)
    mood_opened = models.CharField(max_length=40, blank=True)
    mood_closed = models.CharField(max_length=40, blank=True)
    open_loops = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    resolved_threads = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    approach_used = models.CharField(max_length=80, blank=True)
    crisis_level_max = models.PositiveSmallIntegerField(default=0)
    embedding = HalfVectorField(null=True, blank=True)
    space = models.ForeignKey(EmbeddingSpace, models.SET_NULL, null=True, blank=True)

    class Meta:
        indexes = (
            models.Index(fields=("owner", "-ended_at"), name="arc_newest"),
            models.Index(fields=("owner",), condition=ACTIVE, name="arc_counts"),
            GinIndex(PARTS_OF_ARC, name="arc_parts"),
            models.Index(fields=("owner", "-is_pinned", "-id"), name="arc_shown"),
            models.Index(
                fields=("owner", "superseded_by"),
                condition=~models.Q(superseded_by=""),
                name="arc_heirs",
            ),
        )

    def __str__(self) -> str:
        return f"arc of {self.session}"

    @property
    def duration_seconds(self) -> float:
        return (self.ended_at - self.started_at).total_seconds()


class ProceduralProfile(models.Model):
    """How an owner wishes to be answered. Its row is the lock under which rules change."""

    owner = models.OneToOneField(Owner, models.CASCADE, primary_key=True)
    proactive_recall_enabled = models.BooleanField(default=False)
    last_consolidated_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.owner_id)


class Rule(Learned):
    """One instruction, in the second person, grounded in what the user said."""

    class Source(models.TextChoices):
        EXPLICIT_USER = "explicit_user"
        CONSOLIDATION = "consolidation"
        MANUAL = "manual"

    text = models.CharField(max_length=280)
    evidence = ArrayField(models.CharField(max_length=280), default=list, blank=True)
    confidence = models.CharField(max_length=6, choices=Confidence)
    source = models.CharField(max_length=13, choices=Source)

    class Meta:
        indexes = (
            models.Index(fields=("owner", "created_at"), condition=ACTIVE, name="rule_counts"),
            GinIndex(PARTS_OF_RULE, name="rule_parts"),
            models.Index(fields=("owner", "-is_pinned", "-id"), name="rule_shown"),
            models.Index(
                fields=("owner", "superseded_by"),
                condition=~models.Q(superseded_by=""),
                name="rule_heirs",
            ),
        )

    def __str__(self) -> str:
        return f"rule {self.pk}"

"""Organizations, people, agents, their keys, and owners of memory."""

from datetime import date
from decimal import Decimal
from typing import ClassVar, Self
from uuid import UUID

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from accounts.ids import new_id
from accounts.parts import parts_of
from accounts.scope import Scope
from accounts.zones import check_time_zone

# A slug becomes part of a PostgreSQL schema's name, which is cut at 63 bytes.
SLUG = RegexValidator(r"^[a-z][a-z0-9_]{0,40}\Z", "use a-z, 0-9 and _, first a letter, at most 41")
PARTS_OF_OWNER = parts_of("key", owner=models.Value(0))


class Organization(models.Model):
    """The tenant: nothing is shared between two of them."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.CharField(max_length=41, unique=True, validators=[SLUG])
    name = models.CharField(max_length=200)
    user_text = models.TextField(
        blank=True, help_text="USER.md: who the users are, common to every agent's edge prompt."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class User(AbstractUser):
    """A person who can log in, or who is known by an agent's id for them."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, null=True, blank=True)
    external_id = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001 - None: logs in only
    autonomous_inbox_guidance = models.TextField(
        blank=True, help_text="What of an inbox matters to the user, in their own words."
    )
    # Set while somebody is signed in by an agent's link: they see what that agent knows of them.
    only_agent: UUID | None = None

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("organization", "external_id"), name="user_external_id_once"
            ),
        )


class Tiers(models.TextChoices):
    """What of the picture of a user prompts show."""

    NONE = "none"
    NARRATIVE = "narrative"
    ALL = "all"


class LearningPolicy(models.TextChoices):
    """What is learned from what users say, and when it counts: consolidation.learning.policies."""

    ASSISTANT = "assistant"
    COUNSELLING = "counselling"


class Agent(models.Model):
    """A program with an API key, and how its prompts are built."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE)
    slug = models.CharField(max_length=41, validators=[SLUG])
    name = models.CharField(max_length=200, blank=True)
    behaviour = models.TextField(blank=True, help_text="Behaviour instructions: the first message.")
    soul = models.TextField(blank=True, help_text="SOUL.md: the personality in the edge lane.")
    core_behaviour = models.TextField(
        blank=True, help_text="Behaviour instructions of the core lane."
    )
    core_soul = models.TextField(
        blank=True, help_text="SOUL-CORE.md: the personality in the core lane."
    )
    fleet = models.TextField(
        blank=True, help_text="AGENTS.md: the other agents, in the prompts of a single-lane agent."
    )
    has_core_lane = models.BooleanField(
        default=False, help_text="With an edge and a core lane; otherwise the edge lane alone."
    )
    tools = models.JSONField(
        default=list, blank=True, help_text="Schemas of the agent's own tools, in OpenAI's form."
    )
    skills = models.JSONField(
        default=list, blank=True, help_text="SkillSpecs: a list of {name, description, …}."
    )
    language = models.CharField(max_length=20, default="english")
    window_events = models.PositiveIntegerField(default=50)
    context_tokens = models.PositiveIntegerField(default=128_000)
    compact_share = models.FloatField(
        default=0.8, help_text="Fold when compactable tokens exceed this share of what is left."
    )
    mid_term_sessions = models.PositiveIntegerField(
        default=10, help_text="How many ended sessions of an owner keep vectors of every chunk."
    )
    is_shared = models.BooleanField(
        default=True, help_text="Other agents of the organization may read what it remembers."
    )
    learns = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Facts and rules are learned from what its users say.",
    )
    learning_policy = models.CharField(
        max_length=11,
        choices=LearningPolicy,
        default=LearningPolicy.ASSISTANT,
        db_default=LearningPolicy.ASSISTANT,
        help_text="What is kept of what users say: plain lasting things at once, or seven categories held back.",
    )
    time_zone = models.CharField(
        max_length=40,
        default="UTC",
        db_default="UTC",
        validators=[check_time_zone],
        help_text="Where its users live, as IANA names it: what `tomorrow` means to them.",
    )
    constitution = models.TextField(
        blank=True, help_text="What the agent stands for: named in the memory block of its prompts."
    )
    keeps_profile = models.BooleanField(
        default=True, db_default=True, help_text="Observations become a picture of each user."
    )
    tiers = models.CharField(
        max_length=9,
        choices=Tiers,
        default=Tiers.ALL,
        db_default=Tiers.ALL,
        help_text="What of the picture its prompts show: all, the narrative alone, or nothing.",
    )
    retrieves = models.BooleanField(
        default=True, db_default=True, help_text="Prompts hold facts found for the question."
    )
    scaffold_keys = ArrayField(
        models.CharField(max_length=100),
        default=list,
        blank=True,
        help_text="The only top-level keys of a user's profile; empty: the model makes its own.",
    )
    synthesises_at_once = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Each observation is worked in by a job of its own at once, not in the next round.",
    )
    synthesis_models = models.JSONField(
        default=dict,
        blank=True,
        help_text='Model names by part: {"all": …} or {"narrative": …, "scaffold": …, "facts": …}.',
    )
    narrative_words = models.PositiveIntegerField(default=500, db_default=500)
    narrative_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="Statements nobody bore out for so long go; empty: never."
    )
    sensitive_days = models.PositiveIntegerField(
        null=True, blank=True, help_text="How long what is sensitive is kept; empty: like the rest."
    )
    forget_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Facts of the vector store that no prompt used for so long go; empty: never.",
    )
    schema_name = models.CharField(  # noqa: DJ001 - None: has no schema
        max_length=56, unique=True, null=True, editable=False
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "slug"), name="agent_slug_once"),
        )

    def __str__(self) -> str:
        return self.slug


class ApiKey(models.Model):
    """A credential: the prefix finds the row, the digest proves the rest; the key is shown once."""

    SCOPES: ClassVar = ("agent", "operator")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE)
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, blank=True)
    name = models.CharField(max_length=100, blank=True)
    prefix = models.CharField(max_length=12, unique=True)
    digest = models.BinaryField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=20))
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(agent__isnull=False) | ~Q(scopes__contains=["agent"]),
                name="agent_key_names_its_agent",
            ),
        )

    def __str__(self) -> str:
        return f"{self.prefix}…"


class Owner(models.Model):
    """Whose memory a row is, as one agent keeps it: the integer that leads every index.

    A user, a thread nobody gave a user for, or the agent itself. Because an owner belongs to one
    agent, what one agent knows of a person is never found by another.
    """

    class Kind(models.TextChoices):
        USER = "user"
        THREAD = "thread"
        AGENT = "agent"

    id = models.AutoField(primary_key=True)
    agent = models.ForeignKey(Agent, models.CASCADE)
    kind = models.CharField(max_length=6, choices=Kind)
    user = models.ForeignKey(User, models.CASCADE, null=True, blank=True)
    key = models.CharField(max_length=255, help_text="The user's external id or the thread's id.")
    is_shared = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Other agents may read it where its agent is shared: the person's choice.",
    )
    erasure = models.UUIDField(
        null=True,
        blank=True,
        editable=False,
        help_text="What deletes it: nothing is written since.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("agent", "kind", "key"), name="owner_once"),
            models.CheckConstraint(condition=~Q(key=""), name="owner_has_a_key"),
        )
        indexes = (GinIndex(PARTS_OF_OWNER, name="owner_parts"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class ConnectionQuerySet(models.QuerySet["Connection"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class Connection(models.Model):
    """A user's link to one tool, as one agent knows it."""

    class Refresh(models.TextChoices):
        PUSHED = "pushed", "the agent sends it"
        HTTP = "http", "fetched from its address"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    tool = models.CharField(max_length=100)
    name = models.CharField(max_length=200, blank=True)
    persistent_learned_info = models.JSONField(
        default=dict, blank=True, help_text="What was learned of this tool for this user."
    )
    is_active = models.BooleanField(
        default=True, help_text="In every conversation that names none."
    )
    refresh = models.CharField(
        max_length=6,
        choices=Refresh,
        default=Refresh.PUSHED,
        db_default=Refresh.PUSHED,
        help_text="Where what the tool says of itself comes from.",
    )
    schema_url = models.CharField(
        max_length=500,
        blank=True,
        default="",
        db_default="",
        help_text="Its address, where it is fetched.",
    )
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ConnectionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "tool", "name"), name="connection_once"),
        )

    def __str__(self) -> str:
        return f"{self.tool} {self.name}".strip()


class IdempotencyKey(models.Model):
    """A write that was done: its repetition is answered from here and changes nothing."""

    id = models.BigAutoField(primary_key=True)
    agent = models.ForeignKey(Agent, models.CASCADE)
    key = models.CharField(max_length=255)
    fingerprint = models.BinaryField(max_length=32)
    resources = ArrayField(models.UUIDField(), help_text="What the first request made, in order.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("agent", "key"), name="idempotency_once"),)

    def __str__(self) -> str:
        return self.key


class RequestBucket(models.Model):
    """How many requests a key may still send: tokens that run in evenly, up to a bucketful.

    Written in one statement by whoever runs out of tokens, so all processes share it. `granted` is
    what the last of them got. The table is not logged: after a crash every bucket is full.
    """

    key = models.OneToOneField(ApiKey, models.CASCADE, primary_key=True, related_name="+")
    tokens = models.FloatField()
    granted = models.PositiveIntegerField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.tokens:.0f} left"


class Balance(models.Model):
    """What a user may still spend on calls of models; whoever has none is not limited by it."""

    user = models.OneToOneField(User, models.CASCADE, primary_key=True, related_name="+")
    micro_usd = models.DecimalField(
        max_digits=24, decimal_places=6, help_text="Millionths of a dollar."
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(micro_usd__gte=0), name="balance_not_below_zero"),
        )

    def __str__(self) -> str:
        return f"{self.micro_usd} left"


class Budget(models.Model):
    """The most that calls of models may cost in a day of UTC: hard, for all that it covers.

    Without an agent it covers every agent of the organization, without a user every user.
    `spent_micro_usd` is of `day`; on every other day nothing is spent yet.
    """

    organization = models.ForeignKey(Organization, models.CASCADE)
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, blank=True)
    user = models.ForeignKey(User, models.CASCADE, null=True, blank=True)
    micro_usd = models.DecimalField(
        max_digits=24, decimal_places=6, help_text="Millionths of a dollar per day."
    )
    spent_micro_usd = models.DecimalField(
        max_digits=24, decimal_places=6, default=0, editable=False
    )
    day = models.DateField(null=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("organization", "agent", "user"),
                name="budget_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=Q(micro_usd__gte=0), name="budget_not_below_zero"),
        )

    def __str__(self) -> str:
        return f"{self.micro_usd} per day"

    def left(self, day: date) -> Decimal:
        """Return what may still be spent on a day."""
        return self.micro_usd - (self.spent_micro_usd if self.day == day else Decimal(0))

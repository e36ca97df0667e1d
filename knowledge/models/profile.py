"""The picture of a user: the narrative (W), the scaffold (S), and what was learned besides."""

from typing import Self, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope

Row = TypeVar("Row", bound=models.Model)


class ProfileQuerySet(models.QuerySet[Row]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class Channel(models.TextChoices):
    """Where an observation came in; the first wins over the later ones at equal time."""

    PERSON = "person"
    INTERACTIVE = "interactive"
    AUTONOMOUS = "autonomous"
    TOOL = "tool"


class ProfilePart(models.Model):
    """One of an owner's three; `version` goes up with each change."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.OneToOneField(Owner, models.CASCADE)
    version = models.PositiveIntegerField(default=1)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ProfileQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.model_name} of {self.owner_id}, version {self.version}"


class UserNarrative(ProfilePart):
    """W: what the user is about now, in at most 500 words.

    `statements` hold one object `{text, since, confirmed_at}` per sentence, in the order of the
    text: since when it is said, and when an observation last bore it out.
    """

    text = models.TextField(blank=True)
    statements = models.JSONField(default=list, blank=True)


class Scaffold(ProfilePart):
    """S: a JSON object with keys of the model's own making."""

    data = models.JSONField(default=dict, blank=True)


class LearnedInfo(ProfilePart):
    """What was learned besides, as texts without duplicates, the oldest first; the newest 200 stay."""

    items = models.JSONField(default=list, blank=True)


class ScaffoldEntry(models.Model):
    """How sure one leaf of the scaffold is, and by what. `path` is a JSON Pointer (RFC 6901)."""

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    path = models.CharField(max_length=500)
    confidence = models.FloatField(help_text="From 0 to 1.")
    channel = models.CharField(max_length=11, choices=Channel)
    is_correction = models.BooleanField(default=False)
    evidence = ArrayField(
        models.UUIDField(), default=list, blank=True, help_text="Observations, the newest last."
    )
    is_sensitive = models.BooleanField(default=False)
    observed_at = models.DateTimeField(help_text="When the newest of its evidence was observed.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProfileQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "scaffold entries"
        constraints = (
            models.UniqueConstraint(fields=("owner", "path"), name="scaffold_entry_once"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1),
                name="scaffold_confidence_is_a_share",
            ),
        )

    def __str__(self) -> str:
        return self.path


class Contradiction(models.Model):
    """Two observations that cannot both hold of one leaf: both sides, and which won by what rule."""

    class Rule(models.TextChoices):
        PERSON = "person", "the person's own edit"
        CORRECTION = "correction", "a correction beats what is older"
        NEWER = "newer", "the newer"
        INTERACTIVE = "interactive", "said in a chat beats found in the background"

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    changeset = models.UUIDField(null=True, blank=True)
    path = models.CharField(max_length=500)
    kept = models.JSONField()
    lost = models.JSONField()
    kept_events = ArrayField(models.UUIDField(), default=list, blank=True)
    lost_events = ArrayField(models.UUIDField(), default=list, blank=True)
    rule = models.CharField(max_length=11, choices=Rule)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProfileQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("owner", "-created_at"), name="contradiction_newest"),)

    def __str__(self) -> str:
        return f"{self.path} by {self.rule}"


class Pattern(models.Model):
    """What comes back over several sessions of an owner, with the sessions and arcs it is seen in."""

    class Kind(models.TextChoices):
        THEME = "theme"
        OPEN_LOOP = "open_loop"
        TOOL = "tool"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    kind = models.CharField(max_length=9, choices=Kind)
    key = models.CharField(max_length=200, help_text="The theme or tool, case-folded.")
    text = models.CharField(max_length=400)
    sessions = ArrayField(models.UUIDField(), default=list, blank=True)
    sources = ArrayField(models.UUIDField(), default=list, blank=True, help_text="Arcs and facts.")
    words = ArrayField(
        models.CharField(max_length=64),
        default=list,
        blank=True,
        help_text="Of a tool: the tokens of the requests it was used for.",
    )
    strength = models.FloatField(default=0, help_text="From 0 to 1.")
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    objects = ProfileQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "kind", "key"), name="pattern_once"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

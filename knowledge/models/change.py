"""Every change of what was learned, with its evidence and the verdict that allowed it."""

from typing import Self
from uuid import UUID

from django.db import models

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope


class ChangesetQuerySet(models.QuerySet["Changeset"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def of_organization(self, organization: UUID) -> Self:
        """Keep what an operator of the organization may review."""
        return self.filter(owner__agent__organization_id=organization)

    def waiting(self) -> Self:
        """Keep those with a change that waits for a person."""
        return self.filter(pk__in=ChangeItem.objects.filter(state="waiting").values("changeset"))

    def counted(self) -> Self:
        """Add how many items there are, and how many of them wait for a person."""
        waits = models.Q(items__state="waiting")
        return self.annotate(
            item_count=models.Count("items"), waiting_count=models.Count("items", filter=waits)
        )


class Changeset(models.Model):
    """The changes of one run, or of one act of a person; reverted as a whole."""

    class Origin(models.TextChoices):
        TURN = "turn"
        SESSION_END = "session_end"
        SYNTHESIS = "synthesis"
        RETENTION = "retention"
        PERSON = "person"
        OPERATOR = "operator"
        AGENT = "agent"
        REVERT = "revert"
        IMPORT = "import"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    origin = models.CharField(max_length=11, choices=Origin)
    actor = models.CharField(max_length=100, blank=True)
    session = models.UUIDField(null=True, blank=True)
    run_key = models.CharField(
        max_length=100, help_text="Names the run: a repetition of it changes nothing."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    reverted_at = models.DateTimeField(null=True, blank=True)
    reverts = models.OneToOneField(
        "self", models.SET_NULL, null=True, blank=True, related_name="reverted_by"
    )

    objects = ChangesetQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "run_key"), name="changeset_run_once"),
        )
        indexes = (
            models.Index(fields=("owner", "-created_at"), name="changeset_newest"),
            models.Index(fields=("origin", "id"), name="changeset_of_origin"),
            models.Index(
                fields=("session",),
                condition=models.Q(session__isnull=False),
                name="changeset_of_session",
            ),
            models.Index(
                fields=("id",),
                condition=models.Q(reverted_at__isnull=False),
                name="changeset_reverted",
            ),
        )

    def __str__(self) -> str:
        return f"{self.origin} {self.pk}"


class ChangeItem(models.Model):
    """One change of one item. `before` and `after` hold the fields it changed, None for no item.

    A waiting item has changed nothing yet: a person approves or rejects it.
    """

    class Kind(models.TextChoices):
        FACT = "fact"
        ARC = "arc"
        RULE = "rule"
        ENTITY = "entity"
        PROFILE = "profile"
        NARRATIVE = "narrative"
        SCAFFOLD = "scaffold"
        LEARNED_INFO = "learned_info"
        DOCUMENT = "document"

    class Act(models.TextChoices):
        ADD = "add"
        BUMP = "bump"
        RETIRE = "retire"
        EDIT = "edit"
        DELETE = "delete"
        RESTORE = "restore"

    class State(models.TextChoices):
        WAITING = "waiting"
        APPLIED = "applied"
        REJECTED = "rejected"
        REVERTED = "reverted"

    id = models.BigAutoField(primary_key=True)
    changeset = models.ForeignKey(Changeset, models.CASCADE, related_name="items")
    place = models.PositiveIntegerField(help_text="Its order in the changeset, from 0.")
    kind = models.CharField(max_length=12, choices=Kind)
    act = models.CharField(max_length=7, choices=Act)
    target = models.UUIDField(null=True, blank=True)
    before = models.JSONField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    quote = models.CharField(max_length=280, blank=True)
    source_event = models.CharField(max_length=35, blank=True)
    confidence = models.CharField(max_length=6, blank=True)
    code = models.CharField(max_length=40, help_text="The verdict's stable reason code.")
    reason = models.CharField(max_length=240, blank=True)
    policy_version = models.CharField(max_length=40)
    state = models.CharField(max_length=8, choices=State, default=State.APPLIED)
    decided_by = models.CharField(max_length=100, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("changeset", "place"), name="change_item_place_once"),
        )
        indexes = (
            models.Index(fields=("target",), name="change_item_target"),
            models.Index(
                fields=("changeset",),
                condition=models.Q(state="waiting"),
                name="change_item_waiting",
            ),
        )

    def __str__(self) -> str:
        return f"{self.act} {self.kind}"


class ApprovalPolicy(models.Model):
    """How changes of one category of an agent's memory are taken: at once, by confidence, by hand."""

    class Mode(models.TextChoices):
        AUTOMATIC = "automatic"
        ABOVE = "above"
        APPROVED = "approved"
        NEVER = "never"

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(
        Owner, models.CASCADE, null=True, blank=True, help_text="Empty: of every owner."
    )
    agent = models.ForeignKey("accounts.Agent", models.CASCADE)
    category = models.CharField(max_length=15, help_text="A fact's category, or arc, or rule.")
    mode = models.CharField(max_length=9, choices=Mode, default=Mode.AUTOMATIC)
    least_confidence = models.CharField(max_length=6, default="high")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("agent", "owner", "category"),
                name="approval_policy_once",
                nulls_distinct=False,
            ),
        )

    def __str__(self) -> str:
        return f"{self.category}: {self.mode}"


class Tombstone(models.Model):
    """A keyed digest of what a person had deleted: nothing in flight brings it back.

    `digest` is an HMAC of the item's normalised words; the words themselves are gone.
    """

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    kind = models.CharField(max_length=12, choices=ChangeItem.Kind)
    digest = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "kind", "digest"), name="tombstone_once"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

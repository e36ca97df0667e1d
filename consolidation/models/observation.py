"""Observations that wait for the MemoryProcessor."""

from typing import Self

from django.db import models
from django.db.models import Q

from accounts.ids import new_id
from accounts.models import Organization, Owner, User
from accounts.scope import Scope
from consolidation.models.run import SynthesisRun


class ContextEventQuerySet(models.QuerySet["ContextEvent"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def waiting(self) -> Self:
        """Keep what no run has worked in, nor set aside."""
        return self.filter(processed=False, set_aside_at=None)


class ContextEvent(models.Model):
    """An observation that waits for the MemoryProcessor, and afterwards the record of it.

    `source_metadata` always names its `source`, and `session_id` and `connection_id` where there
    are any. `run` is the synthesis that has claimed it.
    """

    class Type(models.TextChoices):
        FACT = "fact"
        PREFERENCE = "preference"
        PROJECT_DETAILS = "project_details"
        CORRECTION = "correction"
        SCAFFOLD_UPDATE = "scaffold_update"
        LEARNED_FACT = "learned_fact"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    organization = models.ForeignKey(Organization, models.CASCADE)
    event_type = models.CharField(max_length=50, choices=Type)
    content = models.TextField()
    source_metadata = models.JSONField(default=dict, blank=True)
    processed = models.BooleanField(default=False)
    run = models.ForeignKey(SynthesisRun, models.SET_NULL, null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    set_aside_at = models.DateTimeField(null=True, blank=True)
    processed_at = models.DateTimeField(null=True, blank=True)
    key = models.CharField(
        max_length=120,
        blank=True,
        default="",
        db_default="",
        help_text="Of one key there is one observation.",
    )
    observed_at = models.DateTimeField(help_text="When it was said or seen.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ContextEventQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("owner", "key"), condition=~Q(key=""), name="context_event_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("owner", "id"),
                condition=Q(processed=False, set_aside_at=None),
                name="context_event_waiting",
            ),
            models.Index(fields=("id",), condition=~Q(set_aside_at=None), name="context_aside"),
            models.Index(fields=("owner", "-created_at"), name="context_event_newest"),
        )

    def __str__(self) -> str:
        return f"{self.event_type} {self.pk}"

    @property
    def user(self) -> User | None:
        """The person it is about; None of a thread nobody gave a user for."""
        return self.owner.user

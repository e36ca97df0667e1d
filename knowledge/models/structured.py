"""Facts as key and value."""

from typing import Self

from django.db import models

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope


class SavedFactQuerySet(models.QuerySet["SavedFact"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class SavedFact(models.Model):
    """One value under one key of an owner; saving the key again replaces the value."""

    class Source(models.TextChoices):
        CONTEXT_FLUSH = "context_flush"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    key = models.CharField(max_length=200)
    value = models.TextField()
    category = models.CharField(max_length=100, default="general")
    source = models.CharField(max_length=20, choices=Source)
    source_session = models.UUIDField(null=True, blank=True)
    source_event = models.CharField(max_length=35, blank=True, help_text="The event's reference.")
    confidence = models.FloatField(default=1.0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = SavedFactQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("owner", "key"), name="saved_fact_once"),)

    def __str__(self) -> str:
        return self.key

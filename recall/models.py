"""What a recall or a prompt contained."""

from typing import Self

from django.db import models

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope
from memory.models import Session


class ReceiptQuerySet(models.QuerySet["Receipt"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class Receipt(models.Model):
    """Why an agent said that: the question, what was found with which scores, what was left out.

    `items` name chunks by id and hold no text of theirs, so that erasing a chunk erases it here.
    `took_ms` is how many milliseconds its caller waited, None where nobody did.
    """

    class Kind(models.TextChoices):
        RECALL = "recall"
        CONTEXT = "context"
        SYNTHESIS = "synthesis"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    session = models.ForeignKey(Session, models.CASCADE, null=True, blank=True)
    kind = models.CharField(max_length=9, choices=Kind)
    query = models.TextField()
    profile = models.CharField(max_length=40)
    searched_by = models.CharField(max_length=40)
    degraded = models.CharField(max_length=60, blank=True)
    items = models.JSONField(default=list)
    left_out = models.JSONField(default=list)
    tokens = models.PositiveIntegerField(default=0)
    took_ms = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ReceiptQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("owner", "-created_at"), name="receipt_owner_created"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

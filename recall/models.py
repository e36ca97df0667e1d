"""What a recall or a prompt contained, and what one should."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import MD5

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


class GoldenQuestionQuerySet(models.QuerySet["GoldenQuestion"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class GoldenQuestion(models.Model):
    """A question to an owner's memory, and the events that should come.

    `expected` are ids of events: they outlive chunks, tiers and vectors. `actor` recorded it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # `golden_question_once` begins with the owner.
    owner = models.ForeignKey(Owner, models.CASCADE, db_index=False)
    query = models.TextField()
    expected = ArrayField(models.UUIDField())
    receipt = models.ForeignKey(Receipt, models.SET_NULL, null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)
    actor = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = GoldenQuestionQuerySet.as_manager()

    class Meta:
        constraints = (
            # A question may be longer than an index takes.
            models.UniqueConstraint("owner", MD5("query"), name="golden_question_once"),
        )

    def __str__(self) -> str:
        return f"golden {self.pk}"

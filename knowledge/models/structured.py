"""Facts as key and value, and the categories they fall into."""

from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.functions import Lower
from pgvector.django import HalfVectorField

from accounts.ids import new_id
from accounts.models import Owner
from accounts.parts import parts_of
from accounts.scope import Scope
from memory.models import EmbeddingSpace

PARTS_OF_SAVED_FACT = parts_of("key", "value")


class FactCategory(models.Model):
    """What several facts of an owner are about. Its vector is the mean of theirs, now and then.

    `additions` counts the facts that joined; the mean is taken anew at every tenth.
    """

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    name = models.CharField(max_length=100)
    embedding = HalfVectorField(null=True, blank=True)
    space = models.ForeignKey(EmbeddingSpace, models.SET_NULL, null=True, blank=True)
    additions = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "fact categories"
        constraints = (models.UniqueConstraint("owner", Lower("name"), name="fact_category_once"),)

    def __str__(self) -> str:
        return self.name


class SavedFactQuerySet(models.QuerySet["SavedFact"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def of_category(self, name: str) -> Self:
        return self.filter(category__iexact=name)

    def by_salience(self) -> Self:
        return self.order_by("-decay_score", "-created_at", "-pk")


class SavedFact(models.Model):
    """One value under one key of an owner; saving the key again replaces the value.

    `decay_score` is how salient it is: it falls with time, and rises when the fact is asked for.
    """

    class Source(models.TextChoices):
        CONTEXT_FLUSH = "context_flush"
        TOOL = "tool"
        CONVERSATION = "conversation"
        MANUAL = "manual"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    key = models.CharField(max_length=200)
    value = models.TextField()
    category = models.CharField(max_length=100, default="general")
    filed_under = models.ForeignKey(FactCategory, models.SET_NULL, null=True, blank=True)
    source = models.CharField(max_length=20, choices=Source)
    source_session = models.UUIDField(null=True, blank=True)
    source_event = models.CharField(max_length=35, blank=True, help_text="The event's reference.")
    confidence = models.FloatField(default=1.0)
    access_count = models.PositiveIntegerField(default=0, db_default=0)
    last_accessed_at = models.DateTimeField(null=True, blank=True)
    decay_score = models.FloatField(default=1.0, db_default=1.0)
    decayed_at = models.DateTimeField(null=True, blank=True)
    embedding = HalfVectorField(null=True, blank=True)
    space = models.ForeignKey(EmbeddingSpace, models.SET_NULL, null=True, blank=True)
    tsv = models.GeneratedField(
        expression=models.Func("key", "value", "category", function="knowledge_saved_fact_tsv"),
        output_field=SearchVectorField(),
        db_persist=True,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = SavedFactQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("owner", "key"), name="saved_fact_once"),)
        indexes = (
            GinIndex(fields=("tsv",), name="saved_fact_tsv"),
            models.Index(
                fields=("owner", "-decay_score", "-created_at", "-id"),
                name="saved_fact_by_salience",
            ),
            GinIndex(PARTS_OF_SAVED_FACT, name="saved_fact_parts"),
        )

    def __str__(self) -> str:
        return self.key

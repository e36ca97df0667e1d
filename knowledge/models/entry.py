"""Entries with names: notes that an agent writes, archives that compaction leaves."""

from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Owner
from accounts.parts import parts_of
from accounts.scope import Scope

PARTS_OF_ENTRY = parts_of("name", "content")


class EntryQuerySet(models.QuerySet["Entry"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def listed(self) -> Self:
        """Leave out what may be long, and read the names along."""
        return self.defer("content").prefetch_related("names")


class Entry(models.Model):
    """A text under a canonical name. `number` is given on insert and never given again.

    `length` counts the terms it is found by.
    """

    class Kind(models.TextChoices):
        NOTE = "note"
        ARCHIVE = "archive"

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=7, choices=Kind)
    content = models.TextField(blank=True)
    length = models.IntegerField(default=0, db_default=0)
    version = models.PositiveIntegerField(default=1, db_default=1)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        indexes = (
            models.Index(fields=("owner", "kind", "-number"), name="entry_shown"),
            GinIndex(PARTS_OF_ENTRY, name="entry_parts"),
        )
        constraints = (
            models.UniqueConstraint(fields=("owner", "number"), name="entry_number_once"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def aliases(self) -> list[str]:
        """The other names, as they were bound."""
        bound = sorted(self.names.all(), key=lambda one: one.pk)
        return [one.name for one in bound if one.name != self.name]


class EntryName(models.Model):
    """One name in an owner's namespace: canonical names and aliases stand side by side."""

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    name = models.CharField(max_length=200)
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="names")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("owner", "name"), name="entry_name_once"),)

    def __str__(self) -> str:
        return self.name


class EntryTerm(models.Model):
    """How often a term stands in an entry: of its content and its name, of no alias."""

    pk = models.CompositePrimaryKey("owner", "term", "number")
    owner = models.ForeignKey(Owner, models.CASCADE, db_constraint=False, db_index=False)
    term = models.CharField(max_length=200)
    number = models.IntegerField()
    count = models.IntegerField()

    class Meta:
        indexes = (models.Index(fields=("owner", "number"), name="entry_terms"),)

    def __str__(self) -> str:
        return f"{self.term} in {self.number}"


class EntryIndex(models.Model):
    """How much of an owner's entries is in the word index; `number` was given last, once."""

    owner = models.OneToOneField(Owner, models.CASCADE, primary_key=True)
    number = models.IntegerField(default=0)
    entries = models.IntegerField(default=0)
    terms = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.owner_id)

"""Entries with names: notes that an agent writes, archives that compaction leaves."""

from typing import Self

from django.db import models

from accounts.models import Owner
from accounts.scope import Scope


class EntryQuerySet(models.QuerySet["Entry"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class Entry(models.Model):
    """A text under a canonical name. `number` is given on insert and never given again."""

    class Kind(models.TextChoices):
        NOTE = "note"
        ARCHIVE = "archive"

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=7, choices=Kind)
    content = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        constraints = (
            models.UniqueConstraint(fields=("owner", "number"), name="entry_number_once"),
        )

    def __str__(self) -> str:
        return self.name


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

"""The record of an import: what came in from a file, and how far it is."""

from typing import Self

from django.db import models

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope


class ImportQuerySet(models.QuerySet["Import"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)


class Import(models.Model):
    """A file with what is known of a person, on its way into their memory.

    `file` is compressed, and emptied once all of it is in. `position` counts the rows that are in,
    of `total`. `counts` is by section: how many were added, known, forgotten here, or unwanted.
    """

    class State(models.TextChoices):
        READY = "ready", "waits to be confirmed"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    actor = models.CharField(max_length=100)
    state = models.CharField(max_length=7, choices=State, default=State.READY)
    file = models.BinaryField(null=True)
    told_of = models.CharField(max_length=255, help_text="Whom the file calls the person.")
    position = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict, blank=True)
    changeset = models.UUIDField(null=True, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ImportQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("owner", "-created_at"), name="import_newest"),)

    def __str__(self) -> str:
        return f"import {self.pk}, {self.state}"

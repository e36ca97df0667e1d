"""The record of an erasure: a table of its own, which names nobody."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import new_id
from accounts.models import Organization
from accounts.scope import Scope


class ErasureQuerySet(models.QuerySet["Erasure"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        return self.filter(organization=scope.organization, agents__contains=[scope.agent])


class Erasure(models.Model):
    """The deletion of a person's memory, and the proof of it: it outlives what it deletes.

    `position` counts the steps that are done, `counts` the rows each of them deleted or emptied.
    `user` and `owners` are ids; `user` is emptied when the person's account is gone.
    """

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE)
    agents = ArrayField(models.UUIDField())
    owners = ArrayField(models.IntegerField())
    user = models.UUIDField(null=True, blank=True)
    pseudonyms = ArrayField(models.CharField(max_length=64), help_text="As in sealed records.")
    state = models.CharField(max_length=7, choices=State, default=State.RUNNING)
    position = models.PositiveSmallIntegerField(default=0)
    rounds = models.PositiveSmallIntegerField(default=0)
    counts = models.JSONField(default=dict, blank=True)
    certificate = models.JSONField(null=True, blank=True)
    certificate_hash = models.CharField(max_length=64, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ErasureQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=("organization", "-created_at"), name="erasure_newest"),)

    def __str__(self) -> str:
        return f"erasure {self.pk}, {self.state}"

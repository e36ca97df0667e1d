"""What a person had forgotten, as long as they may take it back."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope


class ForgettingQuerySet(models.QuerySet["Forgetting"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def open(self) -> Self:
        """Keep those that can be taken back."""
        return self.filter(contents__isnull=False, final_at__gt=timezone.now())

    def due(self) -> Self:
        """Keep those whose time to be taken back is over, and whose words are still there."""
        return self.filter(contents__isnull=False, final_at__lte=timezone.now())


class Forgetting(models.Model):
    """One act of forgetting: what went, and which lines of the log no prompt says any more.

    `contents` are the words of all that went, read by nothing but their return; None once the
    forgetting is final. `tombstones` are those that this act made.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    actor = models.CharField(max_length=100)
    items = models.PositiveIntegerField(help_text="How many were chosen to be forgotten.")
    contents = models.JSONField(null=True, blank=True)
    tombstones = ArrayField(models.BigIntegerField(), default=list, blank=True)
    events = ArrayField(models.UUIDField(), default=list, blank=True)
    chunks = ArrayField(models.UUIDField(), default=list, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    final_at = models.DateTimeField()

    objects = ForgettingQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(fields=("owner", "-made_at"), name="forgetting_newest"),
            models.Index(
                fields=("final_at",),
                condition=models.Q(contents__isnull=False),
                name="forgetting_due",
            ),
        )

    def __str__(self) -> str:
        return f"{self.items} on {self.made_at:%Y-%m-%d}"

    @property
    def is_open(self) -> bool:
        return self.contents is not None and self.final_at > timezone.now()

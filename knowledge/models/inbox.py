"""Messages of a user's inbox, for as long as nobody has read them."""

from typing import Self

from django.db import models
from django.db.models import Q

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope


class InboxItemQuerySet(models.QuerySet["InboxItem"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def waiting(self) -> Self:
        """Keep what no cycle has worked through."""
        return self.filter(done_at=None)


class InboxItem(models.Model):
    """A message of a user's inbox, until a cycle has worked through it; then its words go.

    `item` is the sender's id for it: what remains, so that it is worked through once.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    item = models.CharField(max_length=255)
    words = models.JSONField(help_text="{channel, sender, subject, text}; empty once done.")
    received_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InboxItemQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("owner", "item"), name="inbox_item_once"),)
        indexes = (
            models.Index(fields=("owner", "id"), condition=Q(done_at=None), name="inbox_waiting"),
        )

    def __str__(self) -> str:
        return f"inbox item {self.pk}"

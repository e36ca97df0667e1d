"""The log: immutable rows, each chained to the one before."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope
from memory.hashing import reference
from memory.models.session import Session
from memory.models.window import Lane


class EventType(models.TextChoices):
    USER_MSG = "UserMsg"
    MODEL_OUTPUT = "ModelOutput"
    TOOL_RESULT = "ToolResultCommitted"
    INJECTED = "InjectedInstruction"
    CORE_JOB_START = "CoreJobStart"


class EventQuerySet(models.QuerySet["Event"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def audible(self) -> Self:
        """Leave out what a person had muted: no prompt, no answer and no model is shown it."""
        return self.filter(muted_by=None)

    def in_order(self) -> Self:
        return self.order_by("lane", "seq")

    def as_committed(self) -> Self:
        """Order by the time of the commit: an id is older than the wait for the session's lock."""
        return self.order_by("committed_at", "lane", "seq")

    def committed_after(self, event: "Event") -> Self:
        """Keep what follows an event in that order."""
        with_it = models.Q(committed_at=event.committed_at)
        return self.filter(
            models.Q(committed_at__gt=event.committed_at)
            | with_it & models.Q(lane__gt=event.lane)
            | with_it & models.Q(lane=event.lane, seq__gt=event.seq)
        )


class Event(models.Model):
    """One thing that happened in a lane of a session.

    `payload` and `salt` are None once erased; `commitment` and the chain over it stay. `muted_by`
    are the acts of forgetting that keep it out of all prompts; None for none.
    """

    Type = EventType

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    # `event_seq_once` begins with the session.
    session = models.ForeignKey(Session, models.CASCADE, related_name="events", db_index=False)
    lane = models.CharField(max_length=4, choices=Lane)
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=20, choices=EventType)
    payload = models.JSONField(null=True)
    salt = models.BinaryField(max_length=32, null=True)
    commitment = models.BinaryField(max_length=32)
    prev_hash = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    tokens = models.PositiveIntegerField(help_text="Estimated, of the message it becomes.")
    tool_call_id = models.CharField(max_length=255, blank=True)
    skill_phase = models.CharField(max_length=100, blank=True)
    occurred_at = models.DateTimeField(help_text="The client's word for when it happened.")
    committed_at = models.DateTimeField(auto_now_add=True)
    # None costs a row of the log nothing.
    muted_by = ArrayField(models.UUIDField(), null=True, blank=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("session", "lane", "seq"), name="event_seq_once"),
        )
        indexes = (
            # Every prompt asks for the jobs of its lane, which are few among any number of events.
            models.Index(
                fields=("session", "lane", "seq"),
                condition=models.Q(type="CoreJobStart"),
                name="event_core_jobs",
            ),
        )

    def __str__(self) -> str:
        return self.reference

    @property
    def content(self) -> dict[str, object]:
        """The payload; empty once erased."""
        found: dict[str, object] = self.payload or {}
        return found

    @property
    def reference(self) -> str:
        """The public form of the hash."""
        return reference(bytes(self.hash))

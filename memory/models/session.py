"""A conversation of an agent, and the steps that end it."""

from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from accounts.ids import new_id
from accounts.models import Owner
from accounts.parts import parts_of
from accounts.scope import Scope

PARTS_OF_SESSION = parts_of("external_id")


class SessionQuerySet(models.QuerySet["Session"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def open(self) -> Self:
        return self.filter(state=Session.State.OPEN)


class Session(models.Model):
    """One conversation. Its row is the lock under which events get their numbers."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSING = "closing"
        CLOSED = "closed"

    class Mode(models.TextChoices):
        LOCAL = "local"
        SYNCED = "synced"

    class Strategy(models.TextChoices):
        REFERENCE_SUMMARY = "reference_summary"
        SUMMARIZE_TAIL = "summarize_tail"
        ARCHIVE = "archive"

    class EndReason(models.TextChoices):
        EXPLICIT = "explicit"
        WEB = "web"
        IMPORT = "import"
        INACTIVITY = "inactivity"
        SHUTDOWN = "shutdown"
        TRANSCRIPT = "transcript"
        AGENT_STOP = "agent_stop"

    class Tier(models.TextChoices):
        MID_TERM = "mid_term"
        LONG_TERM = "long_term"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    number = models.IntegerField(
        null=True, blank=True, help_text="Its document number in the word index, once chunked."
    )
    external_id = models.CharField(max_length=255, blank=True)
    mode = models.CharField(max_length=10, choices=Mode, default=Mode.LOCAL)
    strategy = models.CharField(max_length=20, choices=Strategy, default=Strategy.REFERENCE_SUMMARY)
    metadata = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.OPEN)
    end_reason = models.CharField(max_length=10, choices=EndReason, blank=True)
    opened_at = models.DateTimeField(auto_now_add=True)
    last_event_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    crisis_level_max = models.PositiveSmallIntegerField(
        default=0, help_text="The highest level that was reported; its arc keeps it, no prompt."
    )
    summary = models.TextField(blank=True, help_text="Written at its end; empty when skipped.")
    tier = models.CharField(
        max_length=9, choices=Tier, blank=True, help_text="Empty until its chunks are written."
    )

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("owner", "external_id"),
                condition=Q(state="open") & ~Q(external_id=""),
                name="session_open_once",
            ),
            models.UniqueConstraint(fields=("owner", "number"), name="session_number_once"),
        )
        indexes = (
            models.Index(fields=("owner", "-opened_at"), name="session_owner_opened"),
            models.Index(
                fields=("owner", "ended_at"), condition=Q(tier="mid_term"), name="session_mid_term"
            ),
            models.Index(
                # Not by the last event: each one would then write to every index of the table.
                fields=("opened_at",),
                condition=Q(state="open"),
                name="session_open",
            ),
            GinIndex(PARTS_OF_SESSION, name="session_parts"),
        )

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN


class SessionStep(models.Model):
    """One step of a session's end: done once in effect, repeated until it is."""

    class State(models.TextChoices):
        DUE = "due"
        DONE = "done"
        SKIPPED = "skipped"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="steps")
    name = models.CharField(max_length=20)
    position = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.DUE)
    error_code = models.CharField(max_length=60, blank=True)
    details = models.JSONField(default=dict, blank=True, help_text="What the step counted.")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("session", "name"), name="session_step_once"),
        )

    def __str__(self) -> str:
        return f"{self.name} {self.state}"

"""Runs of a model: their plans, and the answers that are pinned."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.ids import new_id
from accounts.models import Owner
from consolidation.models.candidate import Candidate
from memory.models import Session
from memory.models.window import Lane


class ModelRun(models.Model):
    """What a model was asked for, and how it went.

    `reply` is what it answered, kept before anything is written, so that a repetition writes the
    same and pays nothing; it goes when the run ends.
    """

    state = models.CharField(max_length=7)
    reply = models.JSONField(null=True, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class CompactionRun(ModelRun):
    """One compaction of a lane, from its plan to its end. At most one of a lane is under way.

    `folded` is empty for a flush: it saves facts and leaves the view as it is.
    """

    class State(models.TextChoices):
        PLANNED = "planned"
        REPLIED = "replied"
        APPLIED = "applied"
        FAILED = "failed"

    class Trigger(models.TextChoices):
        AUTOMATIC = "automatic"
        API = "api"
        TOOL = "tool"
        MESSAGE = "message"
        COMMAND = "command"
        ADMIN = "admin"

    OPEN = (State.PLANNED, State.REPLIED)

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="+")
    lane = models.CharField(max_length=4, choices=Lane)
    strategy = models.CharField(max_length=20, choices=Session.Strategy)
    trigger = models.CharField(max_length=9, choices=Trigger)
    state = models.CharField(max_length=7, choices=State, default=State.PLANNED)
    folded = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    start_seq = models.PositiveIntegerField(help_text="The window's start when it was planned.")
    next_start_seq = models.PositiveIntegerField(help_text="Its start once applied.")
    next_kept = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    last_seq = models.PositiveIntegerField(help_text="Nothing after this event is touched.")
    summary_version = models.PositiveIntegerField(default=0)
    tokens_before = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("session", "lane"),
                condition=Q(state__in=("planned", "replied")),
                name="compaction_one_at_a_time",
            ),
        )
        indexes = (models.Index(fields=("session", "lane", "-id"), name="compaction_of_lane"),)

    def __str__(self) -> str:
        return f"{self.strategy} of {self.lane}, {self.state}"


class LearningRun(ModelRun):
    """The learning from a message, or from a run of messages, in one lane: what came of it.

    `turn` is the number of the first message, `last_turn` of the last; 0 where it is one alone.
    """

    class State(models.TextChoices):
        DUE = "due"
        REPLIED = "replied"
        DONE = "done"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="learning_runs")
    lane = models.CharField(max_length=10, choices=Candidate.Lane)
    turn = models.PositiveIntegerField()
    last_turn = models.PositiveIntegerField(default=0, db_default=0)
    state = models.CharField(max_length=7, choices=State, default=State.DUE)
    diagnostics = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("session", "lane", "turn"), name="learning_run_once"),
        )

    def __str__(self) -> str:
        return f"{self.lane} of turn {self.turn}, {self.state}"


class SynthesisRun(models.Model):
    """One round of the MemoryProcessor for one owner: its events, the reply, and how it went.

    `reply` is what the model answered, kept before anything is written, so that a repetition
    writes the same and pays nothing; it goes when the run ends. At most one of an owner is open.
    """

    class State(models.TextChoices):
        CLAIMED = "claimed"
        REPLIED = "replied"
        DONE = "done"
        FAILED = "failed"

    OPEN = (State.CLAIMED, State.REPLIED)

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    state = models.CharField(max_length=7, choices=State, default=State.CLAIMED)
    reply = models.JSONField(null=True, blank=True)
    narrative_version = models.PositiveIntegerField(
        default=0, help_text="When the model was asked."
    )
    scaffold_version = models.PositiveIntegerField(default=0, help_text="When the model was asked.")
    changeset = models.UUIDField(null=True, blank=True)
    receipt = models.UUIDField(null=True, blank=True)
    diagnostics = models.JSONField(default=dict, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("owner",),
                condition=Q(state__in=("claimed", "replied")),
                name="synthesis_one_at_a_time",
            ),
        )
        indexes = (models.Index(fields=("owner", "-created_at"), name="synthesis_newest"),)

    def __str__(self) -> str:
        return f"synthesis {self.pk}, {self.state}"

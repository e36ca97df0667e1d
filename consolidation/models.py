"""Work that is due, who does it, and what waits to be learned."""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q

from accounts.ids import new_id
from accounts.models import Organization, Owner, User
from accounts.scope import Scope
from consolidation.erasures import Erasure as Erasure
from consolidation.imports import Import as Import
from consolidation.job_rows import Job as Job
from consolidation.job_rows import JobQuerySet as JobQuerySet
from memory.models import Session
from memory.models.window import Lane


class WorkerHeartbeat(models.Model):
    """When a worker of a host last did a job."""

    host = models.CharField(max_length=255, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.host


class CompactionRun(models.Model):
    """One compaction of a lane, from its plan to its end. At most one of a lane is under way.

    `reply` is what the models answered, kept before anything is applied, so that a repetition
    applies the same words and pays nothing. `folded` is empty for a flush: it saves facts and
    leaves the view as it is.
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
    reply = models.JSONField(null=True, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

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


class CandidateQuerySet(models.QuerySet["Candidate"]):
    def held(self) -> Self:
        """Keep what waits for its session's end: the session's memory buffer."""
        return self.filter(state=Candidate.State.HELD)


class Candidate(models.Model):
    """Something a turn may have taught, and the verdict on it. Those that are held are the buffer.

    `payload` is the candidate as the extraction gave it, checked; it is emptied when the person
    has it forgotten.
    """

    class Lane(models.TextChoices):
        SEMANTIC = "semantic"
        PROCEDURAL = "procedural"

    class Action(models.TextChoices):
        COMMIT_NOW = "commit_now"
        SESSION_END = "commit_at_session_end"
        REPETITION = "require_repetition"
        DROP = "drop"

    class State(models.TextChoices):
        DROPPED = "dropped"
        COMMITTED = "committed"
        HELD = "held"
        PROMOTED = "promoted"
        SKIPPED = "skipped"
        QUARANTINED = "quarantined"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="candidates")
    lane = models.CharField(max_length=10, choices=Lane)
    turn = models.PositiveIntegerField(help_text="The number of the user's event in its lane.")
    place = models.PositiveSmallIntegerField(help_text="Its order within the turn, from 0.")
    payload = models.JSONField()
    source_event = models.CharField(max_length=35)
    action = models.CharField(max_length=21, choices=Action)
    code = models.CharField(max_length=40)
    reason = models.CharField(max_length=240, blank=True)
    policy_version = models.CharField(max_length=40)
    state = models.CharField(max_length=11, choices=State)
    outcome = models.CharField(
        max_length=40, blank=True, help_text="The code of what became of it at the session's end."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = CandidateQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("session", "lane", "turn", "place"), name="candidate_once"
            ),
        )
        indexes = (
            models.Index(fields=("session",), condition=Q(state="held"), name="candidate_held"),
            # Candidates lie in the order of time: a few pages tell where a day is.
            BrinIndex(fields=("created_at",), autosummarize=True, name="candidate_days"),
        )

    def __str__(self) -> str:
        return f"{self.lane} {self.action} {self.code}"


class LearningRun(models.Model):
    """The extraction of one turn in one lane: what it found and how it went.

    `reply` is what the model answered, kept before anything is written, so that a repetition
    writes the same and pays nothing.
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
    state = models.CharField(max_length=7, choices=State, default=State.DUE)
    reply = models.JSONField(null=True, blank=True)
    diagnostics = models.JSONField(default=dict, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

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


class ContextEventQuerySet(models.QuerySet["ContextEvent"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def waiting(self) -> Self:
        """Keep what no run has worked in, nor set aside."""
        return self.filter(processed=False, set_aside_at=None)


class ContextEvent(models.Model):
    """An observation that waits for the MemoryProcessor, and afterwards the record of it.

    `source_metadata` always names its `source`, and `session_id` and `connection_id` where there
    are any. `run` is the synthesis that has claimed it.
    """

    class Type(models.TextChoices):
        FACT = "fact"
        PREFERENCE = "preference"
        PROJECT_DETAILS = "project_details"
        CORRECTION = "correction"
        SCAFFOLD_UPDATE = "scaffold_update"
        LEARNED_FACT = "learned_fact"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    organization = models.ForeignKey(Organization, models.CASCADE)
    event_type = models.CharField(max_length=50, choices=Type)
    content = models.TextField()
    source_metadata = models.JSONField(default=dict, blank=True)
    processed = models.BooleanField(default=False)
    run = models.ForeignKey(SynthesisRun, models.SET_NULL, null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    set_aside_at = models.DateTimeField(null=True, blank=True)
    processed_at = models.DateTimeField(null=True, blank=True)
    key = models.CharField(
        max_length=120,
        blank=True,
        default="",
        db_default="",
        help_text="Of one key there is one observation.",
    )
    observed_at = models.DateTimeField(help_text="When it was said or seen.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ContextEventQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("owner", "key"), condition=~Q(key=""), name="context_event_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("owner", "id"),
                condition=Q(processed=False, set_aside_at=None),
                name="context_event_waiting",
            ),
            models.Index(fields=("id",), condition=~Q(set_aside_at=None), name="context_aside"),
            models.Index(fields=("owner", "-created_at"), name="context_event_newest"),
        )

    def __str__(self) -> str:
        return f"{self.event_type} {self.pk}"

    @property
    def user(self) -> User | None:
        """The person it is about; None of a thread nobody gave a user for."""
        return self.owner.user


class DailyMeasure(models.Model):
    """How well an owner's memory served on one day: `part` of `whole`, or their quotient.

    Written by a job from receipts, events and observations; it names nothing that was said.
    """

    class Name(models.TextChoices):
        UTILISATION = "utilisation", "injected items that the reply used"
        OBSERVATIONS = "observations", "observations per conversation"
        SCAFFOLD_KEYS = "scaffold_keys", "keys of the profile"
        CORRECTIONS = "corrections", "observations that are corrections"
        REPEATED_QUESTIONS = "repeated_questions", "questions that memory could have answered"

    id = models.BigAutoField(primary_key=True)
    owner = models.ForeignKey(Owner, models.CASCADE)
    day = models.DateField(help_text="In UTC.")
    name = models.CharField(max_length=18, choices=Name)
    part = models.PositiveIntegerField()
    whole = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "day", "name"), name="daily_measure_once"),
        )
        indexes = (models.Index(fields=("day", "name"), name="daily_measure_by_day"),)

    def __str__(self) -> str:
        return f"{self.name} on {self.day}"

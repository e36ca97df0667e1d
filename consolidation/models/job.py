"""The rows of the queue."""

from typing import Self

from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models import Q

from consolidation.models.priorities import NOBODY, Priority


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> Self:
        """Keep what is due, waiting or running."""
        return self.filter(state__in=Job.OPEN)

    def dead(self) -> Self:
        return self.filter(state=Job.State.DEAD)


class Job(models.Model):
    """One piece of work; its row is the truth, and the queue carries only its id.

    `subject` names what at most one job may touch at a time, in the order of the ids. Of one
    `(kind, key)` at most one job waits: a nudge that comes while one runs is a new one.
    """

    class State(models.TextChoices):
        DUE = "due"
        RUNNING = "running"
        DONE = "done"
        DEAD = "dead"
        CANCELLED = "cancelled"

    class Stage(models.TextChoices):
        """Where a job stands that is due: the workers look at those that are ready, and no others."""

        LATER = "later", "not looked at yet, or waits for its time"
        BEHIND = "behind", "waits for another of its subject"
        READY = "ready"
        ASIDE = "aside", "waits for somebody who can pay, and holds up nobody"

    OPEN = (State.DUE, State.RUNNING)

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=80)
    subject = models.CharField(max_length=80, blank=True)
    priority = models.PositiveSmallIntegerField(choices=Priority, db_default=Priority.LEARNING)
    organization = models.UUIDField(db_default=NOBODY, help_text="Whose turn it takes.")
    owner = models.IntegerField(
        db_default=0, help_text="Whose turn it takes; 0 for the installation."
    )
    state = models.CharField(max_length=9, choices=State, default=State.DUE)
    stage = models.CharField(max_length=6, choices=Stage, db_default=Stage.LATER)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField()
    not_before = models.DateTimeField(db_default=TransactionNow())
    dispatched_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    last_error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(db_default=TransactionNow())
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("kind", "key"), condition=Q(state="due"), name="job_waits_once"
            ),
            models.UniqueConstraint(
                fields=("subject",),
                condition=Q(state="running") & ~Q(subject=""),
                name="job_runs_alone",
            ),
        )
        indexes = (
            models.Index(
                fields=("not_before",), condition=Q(state__in=("due", "running")), name="job_open"
            ),
            models.Index(
                fields=("priority", "organization", "owner", "id"),
                condition=Q(state="due", stage="ready"),
                name="job_ready",
            ),
            models.Index(
                fields=("not_before", "id"),
                condition=Q(state="due", stage__in=("later", "aside")),
                name="job_later",
            ),
            models.Index(
                fields=("subject", "id"),
                condition=Q(state="due", stage="behind"),
                name="job_behind",
            ),
            models.Index(
                fields=("subject", "id"),
                condition=Q(state__in=("due", "running")) & ~Q(stage="aside") & ~Q(subject=""),
                name="job_subject",
            ),
            models.Index(fields=("lease_until",), condition=Q(state="running"), name="job_running"),
            models.Index(
                fields=("last_error_code", "not_before"),
                condition=Q(state="due") & ~Q(last_error_code=""),
                name="job_resting",
            ),
            models.Index(fields=("kind", "key"), name="job_work"),
            models.Index(fields=("finished_at",), name="job_finished"),
            models.Index(fields=("id",), condition=Q(state="dead"), name="job_dead"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"

"""Jobs that are due, and the workers that do them."""

from typing import Self

from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models import Q


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

    OPEN = (State.DUE, State.RUNNING)

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=80)
    subject = models.CharField(max_length=80, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.DUE)
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
        )
        indexes = (
            models.Index(
                fields=("not_before",), condition=Q(state__in=("due", "running")), name="job_open"
            ),
            models.Index(
                fields=("subject", "id"),
                condition=Q(state__in=("due", "running")) & ~Q(subject=""),
                name="job_subject",
            ),
            models.Index(fields=("finished_at",), name="job_finished"),
            models.Index(fields=("id",), condition=Q(state="dead"), name="job_dead"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class WorkerHeartbeat(models.Model):
    """When a worker of a host last did a job."""

    host = models.CharField(max_length=255, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.host

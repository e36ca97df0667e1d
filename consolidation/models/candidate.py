"""What waits to be learned."""

from typing import Self

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q

from memory.models import Session


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

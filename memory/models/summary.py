"""The structured summary of what rolled off a lane's window."""

from django.db import models

from memory.models.window import LaneWindow


class ReferenceSummary(models.Model):
    """One per lane, from its first fold on; it changes by checked deltas alone.

    `facts` holds objects `{key, value, source_event}`; `version` counts the deltas applied.
    """

    window = models.OneToOneField(
        LaneWindow, models.CASCADE, primary_key=True, related_name="summary"
    )
    text = models.TextField(blank=True)
    facts = models.JSONField(default=list, blank=True)
    referenced_sessions = models.JSONField(default=list, blank=True)
    referenced_events = models.JSONField(default=list, blank=True)
    version = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "reference summaries"

    def __str__(self) -> str:
        return f"version {self.version}"

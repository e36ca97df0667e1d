"""Where replay of a lane begins, and the archive that stands for what lies before."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.session import Session
from memory.models.window import Lane


class CompactMarker(models.Model):
    """The k-th compaction of a lane: `folded` events left the view after `seq` had been written."""

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="markers")
    lane = models.CharField(max_length=4, choices=Lane)
    number = models.PositiveIntegerField()
    seq = models.PositiveIntegerField(help_text="The lane's last event when it was planned.")
    folded = ArrayField(models.PositiveIntegerField())
    archive_name = models.CharField(max_length=200)
    archived_at = models.DateTimeField()

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(
                fields=("session", "lane", "number"), name="compact_marker_once"
            ),
        )

    def __str__(self) -> str:
        return self.archive_name

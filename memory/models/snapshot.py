"""What a heartbeat keeps of a running session."""

from django.db import models

from memory.models.session import Session


class Snapshot(models.Model):
    """Both lanes' summaries and window boundaries at one moment; the log itself is not repeated.

    `lanes` maps a lane to `{summary, summary_version, start_seq, kept, last_seq}`. `summary` is the
    session's own, in the final snapshot alone.
    """

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="snapshots")
    lanes = models.JSONField()
    summary = models.TextField(blank=True)
    is_final = models.BooleanField(default=False)
    taken_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        get_latest_by = "id"
        constraints = (
            models.UniqueConstraint(
                fields=("session",),
                condition=models.Q(is_final=True),
                name="snapshot_final_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.session_id} at {self.taken_at:%Y-%m-%d %H:%M:%S}"

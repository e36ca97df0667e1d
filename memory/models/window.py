"""What of a lane's log is still shown in full, and where its chain ends."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.session import Session


class Lane(models.TextChoices):
    EDGE = "edge"
    CORE = "core"


class LaneWindow(models.Model):
    """One lane of a session: the chain's end, and what of the log is still shown in full.

    Shown are the events from `start_seq` on, and those of `kept`, which lie before it and may not
    be folded. `head` is the hash of event `last_seq`; both empty before the first.
    """

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="windows")
    lane = models.CharField(max_length=4, choices=Lane)
    last_seq = models.PositiveIntegerField(default=0)
    head = models.BinaryField(max_length=32, default=bytes, blank=True)
    start_seq = models.PositiveIntegerField(default=1)
    kept = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    calibration = models.FloatField(
        default=1.0, help_text="Real tokens per estimated token, as clients reported; at least 1."
    )
    flush_armed = models.BooleanField(default=True)
    summary_tokens = models.PositiveIntegerField(
        default=0, help_text="Estimated, of what stands for the folded events."
    )

    prompt_limit = models.PositiveIntegerField(
        default=0, help_text="The caller's budget of the last prompt, in tokens; 0 for none."
    )
    memory_tokens = models.PositiveIntegerField(
        default=0, help_text="Estimated, of what the last prompt remembered in every turn."
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("session", "lane"), name="lane_window_once"),
        )

    def __str__(self) -> str:
        return f"{self.lane} to {self.last_seq}"

"""A detected crisis, and the number of them by day."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.sealed.records import SealedRecord

REASON_LENGTH = 500
FALLBACK_LENGTH = 200


class CrisisRecord(SealedRecord):
    """What was detected and what became of it, in codes: no word of the person's."""

    class Level(models.IntegerChoices):
        NONE = 0
        AMBIGUOUS = 1
        CLEAR = 2
        IMMINENT = 3

    class Path(models.TextChoices):
        """By which way the level was found."""

        LLM_PRIMARY = "llm_primary"
        OVERRIDE = "override"
        DETERMINISTIC = "deterministic"
        VOICE_POST_TURN = "voice_post_turn"

    class Lookup(models.TextChoices):
        NOT_ATTEMPTED = "not_attempted"
        FOUND = "found"
        NO_LOCATION = "no_location"
        LOCATION_REFUSED = "location_refused"
        NO_VERIFIED_RESULTS = "no_verified_results"
        LOOKUP_ERROR = "lookup_error"

    class ResponsePath(models.TextChoices):
        SDK = "sdk"
        SDK_TOOL_FALLBACK = "sdk_tool_fallback"
        RESPONSE_LLM_OVERRIDE = "response_llm_override"
        UNKNOWN = "unknown"

    level = models.PositiveSmallIntegerField(choices=Level)
    classifier_path = models.CharField(max_length=20, choices=Path)
    override_kind = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    response_node_completed = models.BooleanField(default=False)
    llm_failure_occurred = models.BooleanField(default=False)
    response_style = models.CharField(max_length=60, blank=True)
    resource_lookup_status = models.CharField(
        max_length=20, choices=Lookup, default=Lookup.NOT_ATTEMPTED
    )
    resource_count = models.PositiveSmallIntegerField(default=0)
    tool_calls = ArrayField(models.CharField(max_length=60), default=list)
    response_path = models.CharField(
        max_length=30, choices=ResponsePath, default=ResponsePath.UNKNOWN
    )
    fallback_reason = models.CharField(max_length=FALLBACK_LENGTH, blank=True)
    trace_id = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(level__lte=3), name="crisis_level_0_to_3"),
        )

    @property
    def is_referral(self) -> bool:
        """Say whether the person was shown where to find help."""
        return self.level >= self.Level.CLEAR and self.resource_count > 0


class CrisisDay(models.Model):
    """How many there were on one day: no identifier, so it outlives the records."""

    id = models.AutoField(primary_key=True)
    day = models.DateField()
    level = models.PositiveSmallIntegerField(choices=CrisisRecord.Level)
    is_referral = models.BooleanField()
    count = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("day", "level", "is_referral"), name="crisis_day_once"),
        )

    def __str__(self) -> str:
        return f"{self.day} level {self.level}: {self.count}"

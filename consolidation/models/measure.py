"""How well memory served, by day."""

from django.db import models

from accounts.models import Owner


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

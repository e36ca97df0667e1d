"""How a session was liked."""

from django.db import models

from accounts.sealed.records import SealedRecord


class FeedbackQuerySet(models.QuerySet["FeedbackRecord"]):
    def labels_of(self, year: int) -> dict[str, int]:
        """Return how often each label was given in a year."""
        counted = self.filter(at__year=year).values_list("label").annotate(models.Count("pk"))
        return dict(counted.order_by())


class FeedbackRecord(SealedRecord):
    """A label and nothing else that anybody said."""

    class Label(models.TextChoices):
        POSITIVE = "positive"
        NEGATIVE = "negative"
        SKIP = "skip"

    class Source(models.TextChoices):
        CLI_END = "cli_end"
        CLI_EXIT = "cli_exit"
        API_END = "api_end"

    label = models.CharField(max_length=8, choices=Label)
    turn_count_at_end = models.PositiveIntegerField()
    source = models.CharField(max_length=8, choices=Source)
    schema_version = models.PositiveSmallIntegerField(default=1)

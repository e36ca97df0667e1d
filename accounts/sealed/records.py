"""What every sealed record has: pseudonyms, a time, and perhaps a hold by law."""

from datetime import UTC, date, datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.ids import new_id


class SealedQuerySet(models.QuerySet["SealedRecord"]):
    def between(self, since: date, until: date) -> Self:
        """Keep the days from `since` to `until`, both included."""
        return self.filter(at__date__gte=since, at__date__lte=until)

    def before(self, day: date) -> Self:
        """Keep what is older than the day; the day itself is not."""
        return self.filter(at__lt=midnight(day))

    def free(self, on: date) -> Self:
        """Keep what no hold protects on this day; the last day of a hold still does."""
        is_over = Q(retention_extended_until__isnull=True) | Q(retention_extended_until__lt=on)
        return self.filter(is_over)


class SealedRecord(models.Model):
    """No foreign key: deleting a person or a session neither finds nor takes it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    session_opaque = models.CharField(max_length=64, db_index=True)
    person_opaque = models.CharField(max_length=64, null=True, db_index=True)  # noqa: DJ001 - None: nobody known
    at = models.DateTimeField(default=timezone.now, db_index=True)
    retention_extended_until = models.DateField(null=True)
    retention_extended_reason = models.CharField(max_length=60, blank=True)
    retention_extended_by = models.CharField(max_length=200, blank=True)

    objects = SealedQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)

    def is_held(self, on: date) -> bool:
        until = self.retention_extended_until
        return until is not None and until >= on


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)

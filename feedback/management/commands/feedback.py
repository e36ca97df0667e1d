"""List, purge, hold, anonymise and count feedback."""

from collections.abc import Mapping
from typing import ClassVar

from django.conf import settings

from accounts.sealed.command import SealedCommand
from feedback.models import FeedbackRecord
from feedback.record import NAME, STORED, count_year


class Command(SealedCommand[FeedbackRecord]):
    help = "The sealed record of how sessions were liked."
    name: ClassVar[str] = NAME
    days = settings.FEEDBACK_DAYS
    ledger = STORED
    fields: ClassVar[tuple[str, ...]] = ("label", "turn_count_at_end", "source")

    def numbers(self, year: int) -> Mapping[str, int]:
        return count_year(year)

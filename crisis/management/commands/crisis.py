"""List, purge, hold, anonymise and count detected crises."""

from collections.abc import Mapping
from typing import ClassVar

from django.conf import settings

from accounts.sealed.command import SealedCommand
from crisis.log import NAME, STORED, count_year
from crisis.models import CrisisRecord


class Command(SealedCommand[CrisisRecord]):
    help = "The sealed log of detected crises."
    name: ClassVar[str] = NAME
    days = settings.CRISIS_DAYS
    ledger = STORED
    fields: ClassVar[tuple[str, ...]] = (
        "level",
        "classifier_path",
        "reason",
        "response_path",
        "response_node_completed",
        "resource_lookup_status",
        "resource_count",
        "retention_extended_until",
    )

    def numbers(self, year: int) -> Mapping[str, int]:
        return count_year(year)

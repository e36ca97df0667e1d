"""What the measures of an organization add up to, day by day."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import Sum

from consolidation.models import DailyMeasure


@dataclass(frozen=True, slots=True)
class Point:
    """One day of a chart: `part` of `whole`, summed over owners."""

    day: date
    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The quotient; None where there was nothing to divide by."""
        return self.part / self.whole if self.whole else None


def charts(
    *,
    organization: UUID,
    since: date,
    until: date,
    agent: str | None = None,
    owner: int | None = None,
) -> Mapping[str, list[Point]]:
    """Return the points of each measure between two days, both included; of all agents or of one."""
    rows = DailyMeasure.objects.filter(
        owner__agent__organization_id=organization, day__gte=since, day__lte=until
    )
    if agent is not None:
        rows = rows.filter(owner__agent__slug=agent)
    if owner is not None:
        rows = rows.filter(owner_id=owner)
    sums = rows.values_list("name", "day").annotate(Sum("part"), Sum("whole")).order_by("day")
    found: dict[str, list[Point]] = defaultdict(list, {name: [] for name in DailyMeasure.Name})
    for name, day, part, whole in sums:
        found[name].append(Point(day, part, whole))
    return dict(found)

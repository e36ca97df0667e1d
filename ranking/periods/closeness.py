"""How close a moment is to a period; `recall.search.messages.statement` computes the same.

1 inside; outside it falls exponentially with the distance, as uncertain time does in Kanhabua and
Nørvåg, "Determining Time of Queries for Re-ranking Search Results" (ECDL 2010). The scale of the
fall is ours: twice the root of the length, in days. So a day's span falls to a third within
2 days, a month's within 11, a year's within 38.
"""

import math
from datetime import datetime

from ranking.periods.period import Period

DAY = 86_400.0
# What is open on one side has no length: it falls as a week does.
OPEN = 7 * DAY
SCALE = 2.0
# Zero to any ranking, and not yet too small for the floats of PostgreSQL.
FAR = 100.0


def closeness(period: Period, when: datetime) -> float:
    """Return 1 for a moment inside the period, less outside, about 0 far away."""
    moment = when.timestamp()
    before = period.start.timestamp() - moment if period.start else 0.0
    after = moment - period.end.timestamp() if period.end else 0.0
    return math.exp(-min(max(before, after, 0.0) / scale(period), FAR))


def scale(period: Period) -> float:
    """Return in how many seconds outside the period closeness falls to 1/e."""
    length = OPEN
    if period.start and period.end:
        length = (period.end - period.start).total_seconds()
    return SCALE * DAY * math.sqrt(max(length, 0.0) / DAY) or DAY

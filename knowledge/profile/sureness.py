"""How sure a leaf of a profile still is: what nobody bore out for years is worth less."""

from datetime import datetime

from knowledge.models.profile import Channel

HALF_LIFE_DAYS = 730.0
LEAST = 0.05
SECONDS_A_DAY = 86_400


def aged(confidence: float, channel: str, observed_at: datetime, now: datetime) -> float:
    """Return a leaf's confidence at a time, halved for each 730 days since it was last observed.

    What the person wrote does not age.
    """
    if channel == Channel.PERSON:
        return confidence
    days = max((now - observed_at).total_seconds() / SECONDS_A_DAY, 0.0)
    share: float = confidence * 0.5 ** (days / HALF_LIFE_DAYS)
    return round(max(share, LEAST), 4)

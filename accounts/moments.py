"""The one form of a time outside the database: ISO 8601, UTC, with a Z."""

from datetime import UTC, datetime


def iso_utc(moment: datetime) -> str:
    """Return it to the microsecond. Raises ValueError for a time without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a time needs its zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

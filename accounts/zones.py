"""Time zones, by the names that IANA gives them."""

from zoneinfo import available_timezones

from django.core.exceptions import ValidationError


def check_time_zone(name: str) -> None:
    """Raise ValidationError unless IANA knows a time zone of this name."""
    if name not in available_timezones():
        raise ValidationError("name a time zone as IANA does, such as Europe/Berlin")

"""How long a provider asks to be left alone."""

from datetime import UTC, datetime

import pytest

from providers.http import retry_after

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        ("86400", 300.0),
        ("9" * 500, 300.0),
        ("Thu, 01 Jan 2026 12:01:00 GMT", 60.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Fri, 02 Jan 2026 12:00:00 GMT", 300.0),
    ],
)
def test_it_reads_seconds_and_dates_within_five_minutes(header: str, seconds: float) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize("header", ["", "soon", "-3", "1.5", "²", "Thu, 01 Jan 2026 12:01:00"])
def test_it_says_nothing_of_what_it_cannot_read(header: str) -> None:
    assert retry_after(header, NOW) is None

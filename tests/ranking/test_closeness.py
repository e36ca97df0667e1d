from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ranking.periods.closeness import closeness
from ranking.periods.period import Period

NOON = datetime(2024, 6, 12, 12, tzinfo=UTC)
MOMENTS = st.datetimes(
    min_value=datetime(1900, 1, 1),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


def period(start, end):
    return Period(start, end, 1.0, (0, 1))


def lasting(days):
    return period(NOON, NOON + timedelta(days=days))


PERIODS = st.builds(
    lambda start, seconds, is_open: period(
        None if is_open == 1 else start,
        None if is_open == 2 else start + timedelta(seconds=seconds),
    ),
    MOMENTS,
    st.integers(1, 10**9),
    st.integers(0, 2),
)


def test_a_moment_inside_is_as_close_as_can_be():
    assert closeness(lasting(1), NOON) == closeness(lasting(1), NOON + timedelta(hours=20)) == 1


def test_a_day_is_far_after_weeks_and_a_year_after_years():
    assert closeness(lasting(1), NOON + timedelta(days=22)) < 0.01
    assert closeness(lasting(365), NOON + timedelta(days=365 + 22)) > 0.5
    assert closeness(lasting(365), NOON + timedelta(days=365 * 2)) < 0.01


def test_an_open_side_has_no_far_end():
    since, until = period(NOON, None), period(None, NOON)

    assert closeness(since, NOON + timedelta(days=9_999)) == 1
    assert closeness(until, NOON - timedelta(days=9_999)) == 1
    assert closeness(since, NOON - timedelta(days=99)) < 0.01


@given(PERIODS, MOMENTS, st.integers(0, 10**8))
def test_closeness_falls_with_distance(span, moment, further):
    outside = span.end or span.start
    away = timedelta(seconds=further) * (1 if span.end else -1)
    near, far = outside + away / 2, outside + away

    assert 0 <= closeness(span, far) <= closeness(span, near) <= 1
    assert 0 <= closeness(span, moment) <= 1

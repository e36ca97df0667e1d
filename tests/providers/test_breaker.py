"""When the breaker opens, and what closes it."""

from dataclasses import dataclass

import pytest

from providers.breaker import Breaker


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed()


def test_it_opens_at_the_fifth_failure(breaker: Breaker) -> None:
    fail(breaker, 4)
    before = breaker.allows()

    fail(breaker, 1)

    assert before
    assert not breaker.allows()


def test_it_stays_closed_when_failures_are_far_apart(breaker: Breaker, clock: Clock) -> None:
    for _ in range(20):
        clock.now += 8.0
        breaker.failed()

    assert breaker.allows()


def test_a_success_forgets_the_failures(breaker: Breaker) -> None:
    fail(breaker, 4)
    breaker.succeeded()

    fail(breaker, 4)

    assert breaker.allows()


def test_it_lets_one_probe_through_after_thirty_seconds(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 5)

    clock.now = 29.0
    assert not breaker.allows()

    clock.now = 30.0
    assert [breaker.allows() for _ in range(3)] == [True, False, False]


def test_a_good_probe_closes_it(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now = 30.0
    breaker.allows()

    breaker.succeeded()

    assert not breaker.is_open
    assert breaker.allows()


def test_a_bad_probe_opens_it_for_thirty_seconds_more(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now = 31.0
    breaker.allows()
    clock.now = 40.0

    breaker.failed()

    clock.now = 69.0
    assert not breaker.allows()
    clock.now = 70.0
    assert breaker.allows()


def test_a_probe_that_never_reports_back_blocks_no_later_one(
    breaker: Breaker, clock: Clock
) -> None:
    fail(breaker, 5)
    clock.now = 30.0
    breaker.allows()

    clock.now = 60.0

    assert breaker.allows()


def test_a_trip_opens_it_at_once(breaker: Breaker) -> None:
    breaker.trip()

    assert breaker.is_open
    assert not breaker.allows()

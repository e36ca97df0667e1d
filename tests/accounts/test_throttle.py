import threading

import pytest
from django.db import connection

from accounts.keys import issue_key
from accounts.models import RequestBucket
from accounts.throttling import Throttle
from tests.factories import make_agent


@pytest.fixture
def key(porter):
    return issue_key(organization=porter.organization, agent=porter, actor="test").row.pk


def passed(throttle: Throttle, key, tries: int, rate: int) -> int:
    return sum(throttle.wait(key, rate=rate) == 0 for _ in range(tries))


def let_time_pass(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "update accounts_requestbucket set at = at - make_interval(secs => %s)", (seconds,)
        )


def test_five_seconds_worth_may_come_at_once_and_no_more(key):
    assert 5 <= passed(Throttle(), key, 20, rate=1) <= 6


def test_whoever_is_refused_learns_how_long_to_wait(key):
    throttle = Throttle()
    passed(throttle, key, 20, rate=1)

    assert 0 < throttle.wait(key, rate=1) <= 1


def test_tokens_run_in_with_the_time_up_to_a_bucketful(key):
    passed(Throttle(), key, 20, rate=1)

    let_time_pass(2)
    soon = passed(Throttle(), key, 20, rate=1)
    let_time_pass(3_600)
    late = passed(Throttle(), key, 20, rate=1)

    assert 2 <= soon <= 3
    assert 5 <= late <= 6


def test_a_clock_that_was_set_back_takes_nothing(key):
    passed(Throttle(), key, 2, rate=1)

    let_time_pass(-3_600)

    assert passed(Throttle(), key, 20, rate=1) == 3


def test_the_bucket_is_asked_once_for_a_handful(key, django_assert_num_queries):
    throttle = Throttle()

    with django_assert_num_queries(1):
        assert passed(throttle, key, 10, rate=200) == 10


def test_who_was_refused_costs_no_statement_until_the_time_is_over(key, django_assert_num_queries):
    now = [0.0]
    throttle = Throttle(clock=lambda: now[0])
    passed(throttle, key, 20, rate=1)

    with django_assert_num_queries(0):
        assert throttle.wait(key, rate=1) > 0
    now[0] += 2
    with django_assert_num_queries(1):
        throttle.wait(key, rate=1)


def test_each_key_has_its_own(key, rival):
    other = issue_key(organization=rival.organization, agent=rival, actor="test").row.pk
    throttle = Throttle()
    passed(throttle, key, 20, rate=1)

    assert throttle.wait(other, rate=1) == 0


def test_a_key_that_is_deleted_leaves_no_bucket(key, porter):
    passed(Throttle(), key, 1, rate=1)

    porter.apikey_set.all().delete()

    assert not RequestBucket.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_processes_at_once_let_no_more_pass_than_one():
    agent = make_agent()
    key = issue_key(organization=agent.organization, agent=agent, actor="test").row.pk
    counts: list[int] = []

    def ask() -> None:
        try:
            # Its own hand, as in a process of its own.
            counts.append(passed(Throttle(), key, 30, rate=2))
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 10 <= sum(counts) < 20

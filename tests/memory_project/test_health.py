import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from consolidation.jobs.heartbeat import beat


@pytest.mark.django_db
def test_life_is_told_without_the_database(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
):
    with django_assert_num_queries(0):
        answer = client.get("/health/live")

    assert answer.status_code == 200


@pytest.mark.django_db
def test_it_is_ready_once_a_worker_gave_a_sign_of_life(client: Client):
    beat()

    answer = client.get("/health/ready")

    assert answer.status_code == 200
    assert all(answer.json()["checks"].values())


@pytest.mark.django_db
def test_it_is_not_ready_before_any_worker_gave_one(client: Client):
    answer = client.get("/health/ready")

    assert answer.status_code == 503
    assert answer.json()["checks"]["workers"] is False


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "status"), [(5, 200), (10, 503), (120, 503)])
def test_it_is_not_ready_when_the_last_sign_is_ten_seconds_old(
    client: Client, seconds: int, status: int
):
    beat()
    with connection.cursor() as cursor:
        cursor.execute(
            "update consolidation_workerheartbeat set at = now() - make_interval(secs => %s)",
            (seconds,),
        )

    answer = client.get("/health/ready")

    assert answer.status_code == status


@pytest.mark.django_db
def test_it_is_not_ready_with_a_migration_missing(client: Client):
    beat()
    with connection.cursor() as cursor:
        cursor.execute("delete from django_migrations where app = 'consolidation'")

    answer = client.get("/health/ready")

    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] is False


@pytest.mark.django_db
def test_it_is_not_ready_where_a_commit_may_be_lost(client: Client):
    beat()
    with connection.cursor() as cursor:
        cursor.execute("set local synchronous_commit = off")

    answer = client.get("/health/ready")

    assert answer.status_code == 503
    assert answer.json()["checks"]["durability"] is False


@pytest.mark.django_db
def test_it_is_not_ready_on_a_server_that_only_reads(client: Client):
    beat()
    with connection.cursor() as cursor:
        cursor.execute("set transaction read only")

    answer = client.get("/health/ready")

    assert answer.status_code == 503
    assert answer.json()["checks"]["writing"] is False


@pytest.mark.django_db
def test_it_tells_strangers_no_more_than_yes_and_no(client: Client):
    answer = client.get("/health/ready")

    assert set(answer.json()) == {"status", "checks"}
    assert all(isinstance(value, bool) for value in answer.json()["checks"].values())

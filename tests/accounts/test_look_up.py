import psycopg
import pytest
from django.db import OperationalError, connection

from accounts import driver

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def kept(monkeypatch):
    """Return the connection as it is when the next request begins: kept, and not yet checked."""
    connection.ensure_connection()
    monkeypatch.setattr(connection, "health_check_enabled", True)
    monkeypatch.setattr(connection, "health_check_done", False)
    yield connection
    connection.close()


def end(backend: int) -> None:
    with psycopg.connect(**connection.get_connection_params() | {"autocommit": True}) as other:
        other.execute("select pg_terminate_backend(%s, 5000)", (backend,))


def backend() -> int:
    return int(connection.connection.info.backend_pid)


def test_a_connection_that_died_between_two_requests_is_replaced(kept):
    before = backend()
    end(before)

    ((now,),) = driver.look_up("select pg_backend_pid()", ())

    assert now == backend() != before
    assert driver.run("select 1", ()) == [(1,)]


def test_one_that_lives_is_kept_and_asked_once(kept):
    before = backend()
    sent = []

    def note(execute, sql, *rest):
        sent.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        assert driver.look_up("select 1", ()) == [(1,)]
        assert driver.run("select 2", ()) == [(2,)]

    assert backend() == before
    assert kept.health_check_done
    assert sent == []


def test_a_statement_that_fails_leaves_a_living_connection_alone(kept):
    before = backend()
    connection.connection.execute("set statement_timeout = '50ms'")

    with pytest.raises(OperationalError):
        driver.look_up("select pg_sleep(5)", ())

    assert backend() == before


def test_what_dies_within_a_request_is_not_replaced_unseen(kept):
    driver.look_up("select 1", ())
    end(backend())

    with pytest.raises(OperationalError):
        driver.look_up("select 1", ())

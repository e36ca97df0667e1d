from dataclasses import replace

import psycopg
import pytest
from django.db import connection

from accounts.driver import run as send
from accounts.models import Owner
from consolidation import job_kinds as jobs
from consolidation.errors import Postponed
from consolidation.jobs import queue, rotation, statements
from consolidation.models import Job
from consolidation.models.priorities import Priority
from tests.factories import make_agent

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def from_the_beginning(monkeypatch):
    monkeypatch.setattr(queue, "_rotation", rotation.Rotation())
    monkeypatch.setattr(rotation, "OTHER_END", 0)


def make(owner: int = 0, *, key: str, priority=Priority.BULK, subject: str = "") -> int:
    return queue.enqueue(kind="x", key=key, owner=owner, priority=priority, subject=subject)


def served(count: int) -> list[str]:
    """Do the next jobs; return their keys."""
    keys = []
    for _ in range(count):
        run = queue.next_run()
        assert run is not None
        keys.append(run.key)
        queue.finish(run)
    return keys


def test_owners_take_turns_however_much_one_of_them_has(porter):
    alice, bob = (Owner.objects.create(agent=porter, key=name).pk for name in ("alice", "bob"))
    for n in range(4):
        make(alice, key=f"alice {n}")
    for n in range(2):
        make(bob, key=f"bob {n}")

    assert served(4) == ["alice 0", "bob 0", "alice 1", "bob 1"]
    assert served(2) == ["alice 2", "alice 3"]


def test_organizations_take_turns_however_many_owners_one_of_them_has(porter):
    other = make_agent("other", organization__slug="other")
    ours = [Owner.objects.create(agent=porter, key=f"{n}").pk for n in range(3)]
    theirs = Owner.objects.create(agent=other, key="carol").pk
    for owner in ours:
        make(owner, key=f"ours {owner}")
    for n in range(3):
        make(theirs, key=f"theirs {n}")

    names = [key.split()[0] for key in served(6)]

    assert names in (["ours", "theirs"] * 3, ["theirs", "ours"] * 3)


def test_who_waits_goes_before_what_was_there_first():
    for priority in reversed(Priority):
        make(key=priority.name, priority=priority)

    assert served(len(Priority)) == [priority.name for priority in Priority]


def test_one_worker_is_left_of_what_asks_a_model(settings):
    settings.WORKERS = 2
    make(key="1", priority=Priority.LEARNING, subject="a")
    make(key="2", priority=Priority.STUDY, subject="b")
    make(key="3", priority=Priority.BULK)
    first = queue.next_run()

    assert first.key == "1"
    assert served(1) == ["3"]
    assert queue.next_run() is None
    queue.finish(first)
    assert served(1) == ["2"]


def test_the_end_of_a_job_makes_the_next_of_its_subject_ready():
    jobs = [make(key=f"{n}", subject="s") for n in range(3)]

    assert list(Job.objects.order_by("pk").values_list("stage", flat=True)) == [
        "ready", "behind", "behind",
    ]  # fmt: skip
    assert served(3) == ["0", "1", "2"]
    assert Job.objects.filter(pk__in=jobs, state="done").count() == 3


def test_one_that_died_or_was_cancelled_lets_the_next_by():
    jobs = [make(key=f"{n}", subject="s") for n in range(3)]
    queue.cancel(Job.objects.get(pk=jobs[0]))
    run = queue.next_run()
    assert run.key == "1"

    Job.objects.filter(pk=run.id).update(max_attempts=1)
    queue.postpone(replace(run, max_attempts=1), code="boom")

    assert served(1) == ["2"]


def test_one_that_nobody_can_pay_for_lets_the_next_by_and_comes_back():
    first, _ = (make(key=f"{n}", subject="s") for n in range(2))
    run = queue.next_run()
    queue.postpone(run, code="out_of_budget", seconds=3600, counts=False)

    assert Job.objects.get(pk=first).stage == "aside"
    assert served(1) == ["1"]
    Job.objects.filter(pk=first).update(not_before="2020-01-01T00:00Z")
    assert served(1) == ["0"]


def test_a_job_whose_forerunner_was_deleted_is_found_by_the_walk():
    first, second = (make(key=f"{n}", subject="s") for n in range(2))
    Job.objects.filter(pk=first).delete()

    assert queue.next_run() is None
    assert queue.take(1) == [second]


def test_a_worker_goes_on_with_what_is_ready(monkeypatch):
    done = []
    monkeypatch.setitem(jobs.KINDS, "x", lambda run: done.append(run.key))
    first, *_ = [make(key=f"{n}", subject="s") for n in range(5)]

    jobs.work(first)

    assert done == ["0", "1", "2", "3", "4"]


def test_a_worker_gives_up_no_turn_for_one_that_fails(monkeypatch):
    def fail(run: queue.Attempt) -> None:
        raise Postponed("later", seconds=60)

    monkeypatch.setitem(jobs.KINDS, "x", fail)
    first, *_ = [make(key=f"{n}") for n in range(3)]

    jobs.work(first)

    assert Job.objects.filter(state="due", last_error_code="later").count() == 3


@pytest.mark.django_db(transaction=True)
def test_locks_that_any_login_can_take_hold_no_job_up():
    job = make(key="1", subject="embed:0")
    known = connection.get_connection_params()
    names = {
        name: known[name]
        for name in ("host", "port", "user", "dbname", "password")
        if known.get(name)
    }
    with psycopg.connect(**names, autocommit=True) as other:
        other.execute("select pg_advisory_lock(hashtextextended('embed:0', 0))")
        with connection.cursor() as cursor:
            cursor.execute("set statement_timeout = '2s'")

        assert queue.claim(job) is not None


@pytest.mark.parametrize(
    "name", ["NEXT", "TAKE", "CLAIM", "ENQUEUE", "RIPEN", "WALK", "FINISH", "LAPSED"]
)
def test_no_statement_reads_the_whole_table(name):
    Job.objects.bulk_create(
        Job(
            kind="x", key=f"{n}", subject="s", stage="ready" if n == 0 else "behind", max_attempts=3
        )
        for n in range(5_000)
    )
    with connection.cursor() as cursor:
        cursor.execute("analyze consolidation_job")
    values = {
        "job": 1, "fence": 0, "lease": 1.0, "dispatch": 1.0, "limit": 10, "after": "", "turns": "{}",
        "classes": rotation.CLASSES, "slow": [2, 4], "most": 1, "kind": "x", "key": "new",
        "subject": "s", "delay": 0.0, "owner": 0, "priority": 3,
    }  # fmt: skip

    plan = "\n".join(row[0] for row in send(f"explain {getattr(statements, name)}", values))

    assert "Seq Scan on consolidation_job" not in plan

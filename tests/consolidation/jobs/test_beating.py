import time

import pytest
from django.db import connection

from consolidation import job_kinds as jobs
from consolidation.jobs import heartbeat, queue
from consolidation.jobs.broker import WORK
from consolidation.jobs.heartbeat import beating, seconds_since_last
from consolidation.models import Job, WorkerHeartbeat


@pytest.fixture(autouse=True)
def _never_beaten(monkeypatch):
    monkeypatch.setattr(heartbeat, "_beaten_at", [float("-inf")])


def test_a_job_is_a_sign_of_life_as_the_queue_does_it(db):
    job = queue.enqueue(kind="prune", key="periodic")

    jobs.work(job)

    assert seconds_since_last() < heartbeat.SILENT_SECONDS
    assert Job.objects.get().last_error_code == ""
    assert f"{jobs.__name__}.{jobs.work.__name__}" == WORK


def test_many_short_jobs_give_few_signs(db, django_assert_num_queries):
    with django_assert_num_queries(1):
        for _ in range(5):
            with beating():
                pass


@pytest.mark.django_db(transaction=True)
def test_a_long_job_goes_on_giving_them(monkeypatch):
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.05)
    with beating():
        WorkerHeartbeat.objects.all().delete()
        for _ in range(100):
            if WorkerHeartbeat.objects.exists():
                break
            time.sleep(0.05)

    assert WorkerHeartbeat.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_without_a_table_to_write_to_the_job_is_done_all_the_same():
    rename = "alter table consolidation_workerheartbeat{} rename to consolidation_workerheartbeat{}"
    with connection.cursor() as cursor:
        cursor.execute(rename.format("", "_gone"))
    try:
        with beating():
            done = True
    finally:
        with connection.cursor() as cursor:
            cursor.execute(rename.format("_gone", ""))

    assert done

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from consolidation.errors import JobNotOpen, LeaseLost
from consolidation.jobs import queue
from consolidation.models import Job

pytestmark = pytest.mark.django_db


def make_job(**fields) -> Job:
    defaults = {"kind": "heartbeat", "key": "1", "max_attempts": 3}
    return Job.objects.create(**defaults | fields)


def lapse(job: Job) -> None:
    """Let the lease of a running job run out."""
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.filter(pk=job.pk).update(lease_until=long_ago, dispatched_at=None)


def test_a_rolled_back_caller_leaves_no_job():
    with transaction.atomic():
        queue.enqueue(kind="embed", key="0")
        transaction.set_rollback(True)

    assert not Job.objects.exists()


def test_a_second_nudge_brings_the_waiting_job_forward():
    first = queue.enqueue(kind="embed", key="0", delay_seconds=60)

    second = queue.enqueue(kind="embed", key="0")

    assert first == second
    assert queue.take(10) == [first]


def test_a_nudge_while_one_runs_is_a_new_job():
    first = queue.enqueue(kind="embed", key="0")
    queue.claim(first)

    assert queue.enqueue(kind="embed", key="0") != first


def test_a_job_is_handed_out_once_at_a_time():
    job = queue.enqueue(kind="embed", key="0")

    assert queue.take(10) == [job]
    assert queue.take(10) == []


def test_a_claim_counts_the_attempt_and_raises_the_fence():
    job = make_job()

    run = queue.claim(job.pk)

    assert (run.attempt, run.fence) == (1, 1)
    assert queue.claim(job.pk) is None


def test_a_job_whose_lease_ran_out_is_claimed_again():
    job = make_job()
    first = queue.claim(job.pk)
    lapse(job)

    second = queue.claim(job.pk)

    assert second.fence == first.fence + 1


def test_a_stale_worker_changes_nothing():
    job = make_job()
    stale = queue.claim(job.pk)
    lapse(job)
    queue.claim(job.pk)

    with pytest.raises(LeaseLost), queue.holding(stale):
        make_job(key="written by the stale one")

    assert not queue.finish(stale)
    assert Job.objects.count() == 1
    assert Job.objects.get().state == "running"


def test_jobs_of_a_subject_run_in_order_and_one_at_a_time():
    first = make_job(key="1", subject="s")
    second = make_job(key="2", subject="s")

    assert queue.claim(second.pk) is None
    run = queue.claim(first.pk)
    assert queue.claim(second.pk) is None
    queue.finish(run)
    assert queue.claim(second.pk) is not None


def test_a_dead_job_holds_nobody_up():
    make_job(key="1", subject="s", state="dead")
    second = make_job(key="2", subject="s")

    assert queue.claim(second.pk) is not None


def test_a_job_that_fails_at_every_attempt_dies():
    job = make_job(max_attempts=2)

    for _ in range(2):
        Job.objects.update(not_before=timezone.now() - timedelta(seconds=1))
        queue.postpone(queue.claim(job.pk), code="boom")

    job.refresh_from_db()
    assert (job.state, job.attempts, job.last_error_code) == ("dead", 2, "boom")


def test_a_wait_that_does_not_count_costs_no_attempt():
    job = make_job()

    queue.postpone(queue.claim(job.pk), code="rate limit", seconds=5, counts=False)

    job.refresh_from_db()
    assert (job.state, job.attempts) == ("due", 0)
    assert job.not_before > timezone.now()


def test_a_job_that_ended_its_worker_at_every_attempt_is_buried():
    job = make_job(max_attempts=1)
    queue.claim(job.pk)
    lapse(job)

    assert queue.claim(job.pk) is None
    assert queue.bury_the_spent() == [("heartbeat", "1")]
    assert Job.objects.get().last_error_code == "worker_died"


def test_a_dead_job_can_be_retried():
    job = make_job(state="dead", attempts=3)

    queue.retry(job)

    assert queue.claim(job.pk).attempt == 1


def test_only_a_dead_job_can_be_retried():
    job = make_job()

    with pytest.raises(JobNotOpen):
        queue.retry(job)


def test_a_cancelled_job_is_never_done():
    job = make_job()

    queue.cancel(job)

    assert queue.claim(job.pk) is None
    with pytest.raises(JobNotOpen):
        queue.cancel(job)


@pytest.mark.django_db(transaction=True)
def test_of_many_claims_at_once_one_wins():
    jobs = [make_job(key=str(place), subject="s").pk for place in range(4)]
    won: list[int] = []

    def claim(job: int) -> None:
        try:
            if queue.claim(job):
                won.append(job)
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(job,)) for job in jobs * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert won == [jobs[0]]


def test_a_postponed_job_gives_way_to_a_newer_one_of_the_same_work():
    first = queue.enqueue(kind="embed", key="0")
    run = queue.claim(first)
    newer = queue.enqueue(kind="embed", key="0")

    assert queue.postpone(run, code="provider_unavailable")

    old = Job.objects.get(pk=first)
    assert (old.state, old.last_error_code) == (Job.State.CANCELLED, "provider_unavailable")
    assert queue.claim(newer) is not None


def test_a_periodic_job_whose_next_round_waits_already_is_done():
    first = queue.enqueue(kind="sweep", key="0")
    run = queue.claim(first)
    queue.enqueue(kind="sweep", key="0")

    assert queue.rest(run, seconds=60)

    assert Job.objects.get(pk=first).state == Job.State.DONE


def test_a_stale_worker_puts_nothing_back():
    job = make_job()
    stale = queue.claim(job.pk)
    lapse(job)
    queue.claim(job.pk)

    assert not queue.postpone(stale, code="provider_unavailable")

    assert Job.objects.get(pk=job.pk).state == Job.State.RUNNING

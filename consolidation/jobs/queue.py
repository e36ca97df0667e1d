"""The queue in the database: enqueue, take, claim with lease and fence, finish.

Every time in here is the database's: the clocks of the workers decide nothing.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from consolidation.errors import JobNotOpen, LeaseLost
from consolidation.models import Job

# A job that was handed out and not claimed is handed out again after this.
DISPATCH_SECONDS = 10
BACKOFF_SECONDS = 2.0
LONGEST_BACKOFF_SECONDS = 300.0

DUE = """(
  (job.state = 'due' and job.not_before <= now())
  or (job.state = 'running' and job.lease_until < now())
)"""
# One job of a subject at a time, in the order of the ids. A dead one holds nobody up, nor does one
# that waits until tomorrow for somebody who can pay.
FREE = """(job.subject = '' or not exists (
  select from consolidation_job other
  where other.subject = job.subject and other.id <> job.id and other.state in ('due', 'running')
    and (other.lease_until >= now() or (other.id < job.id and not (
      other.state = 'due' and other.not_before > now() and other.last_error_code = 'out_of_budget'
    )))
))"""
ENQUEUE = """
insert into consolidation_job (kind, key, subject, state, attempts, max_attempts, fence, last_error_code,
                               not_before)
values (%s, %s, %s, 'due', 0, %s, 0, '', now() + make_interval(secs => %s))
on conflict (kind, key) where state = 'due'
do update set not_before = least(consolidation_job.not_before, excluded.not_before)
returning id
"""
# Nobody waits for its commit: what a crash of the database forgets here is handed out again.
TAKE = f"""
update consolidation_job set dispatched_at = now()
from set_config('synchronous_commit', 'off', true)
where id in (
  select job.id from consolidation_job job
  where {DUE} and {FREE}
    and (job.dispatched_at is null or job.dispatched_at < now() - make_interval(secs => %s))
  order by job.not_before, job.id limit %s for update skip locked
) returning id
"""  # noqa: S608 - literals
CLAIM = f"""
update consolidation_job job
set state = 'running', attempts = attempts + 1, fence = fence + 1,
    lease_until = now() + make_interval(secs => %s)
where job.id = %s and {DUE} and {FREE} and job.attempts < job.max_attempts
returning job.kind, job.key, job.subject, job.fence, job.attempts, job.max_attempts
"""  # noqa: S608 - literals
BURY = """
update consolidation_job
set state = 'dead', finished_at = now(), last_error_code = 'worker_died'
where state = 'running' and lease_until < now() and attempts >= max_attempts
returning kind, key
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt at a job. The fence tells it from every other attempt."""

    id: int
    kind: str
    key: str
    subject: str
    fence: int
    attempt: int
    max_attempts: int


def enqueue(*, kind: str, key: str, subject: str = "", delay_seconds: float = 0) -> int:
    """Make a job, in the caller's transaction; one that waits already is brought forward instead."""
    with connection.cursor() as cursor:
        arguments = (kind, key, subject, settings.JOB_MAX_ATTEMPTS, delay_seconds)
        cursor.execute(ENQUEUE, arguments)
        found: tuple[int] = cursor.fetchone()
    return found[0]


def take(limit: int) -> list[int]:
    """Return the ids of jobs to hand out now; none of them is handed out again for a while."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, (DISPATCH_SECONDS, limit))
        return [row[0] for row in cursor.fetchall()]


@transaction.atomic
def claim(job_id: int) -> Run | None:
    """Make the job this worker's until the lease ends; None if it is not due, not free or spent."""
    with connection.cursor() as cursor:
        # Two jobs of a subject could each see the other as waiting: only one looks at a time.
        cursor.execute(
            "select pg_advisory_xact_lock(hashtextextended(subject, 0)) "
            "from consolidation_job where id = %s and subject <> ''",
            (job_id,),
        )
        cursor.execute(CLAIM, (settings.JOB_LEASE_SECONDS, job_id))
        row = cursor.fetchone()
    return Run(job_id, *row) if row else None


@contextmanager
def holding(run: Run) -> Iterator[None]:
    """Open a transaction in which the job is surely still this run's, and lengthen its lease.

    Raises LeaseLost if it is not; then nothing in the block happens.
    """
    with transaction.atomic():
        if not _update(
            run, "lease_until = now() + make_interval(secs => %s)", settings.JOB_LEASE_SECONDS
        ):
            raise LeaseLost(f"job {run.id} is no longer held under fence {run.fence}")
        yield


def finish(run: Run) -> bool:
    """End the job well. False if it was no longer this run's."""
    return _update(run, "state = 'done', finished_at = now(), last_error_code = ''")


def rest(run: Run, *, seconds: float) -> bool:
    """End this round of a periodic job: it is due again after `seconds`, with all its attempts.

    One whose next round waits as a job of its own already is done.
    """
    assignments = (
        "attempts = 0, last_error_code = '', not_before = now() + make_interval(secs => %s)"
    )
    return _put_back(run, assignments, seconds) or finish(run)


def postpone(run: Run, *, code: str, seconds: float | None = None, counts: bool = True) -> bool:
    """Put the job back, or bury it when its attempts are spent.

    Without `seconds` the wait grows with the attempts, with full jitter. Where the same work waits
    in a newer job already, that one does it, and this one is cancelled.
    """
    if counts and run.attempt >= run.max_attempts:
        return _update(run, "state = 'dead', finished_at = now(), last_error_code = %s", code)
    longest = min(BACKOFF_SECONDS * 2**run.attempt, LONGEST_BACKOFF_SECONDS)
    wait = seconds if seconds is not None else random.uniform(longest / 2, longest)  # noqa: S311 - jitter
    assignments = (
        "last_error_code = %s, attempts = attempts - %s, "
        "not_before = now() + make_interval(secs => %s)"
    )
    return _put_back(run, assignments, code, 0 if counts else 1, wait) or _update(
        run, "state = 'cancelled', finished_at = now(), last_error_code = %s", code
    )


def bury_the_spent() -> list[tuple[str, str]]:
    """Mark as dead what killed its worker at every attempt; return their kinds and keys."""
    with connection.cursor() as cursor:
        cursor.execute(BURY)
        return list(cursor.fetchall())


def retry(job: Job) -> None:
    """Make a dead or cancelled job due again. Raises JobNotOpen for any other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "update consolidation_job old set state = 'due', attempts = 0, not_before = now(), "
            "dispatched_at = null, finished_at = null "
            "where id = %s and state in ('dead', 'cancelled') and not exists ("
            "  select from consolidation_job o where o.kind = old.kind and o.key = old.key and o.state = 'due')",
            (job.pk,),
        )
        if not cursor.rowcount:
            raise JobNotOpen(f"job {job.pk} is {job.state}, or its work waits already")


def cancel(job: Job) -> None:
    """Take a waiting job out. Raises JobNotOpen for any other."""
    changed = Job.objects.filter(pk=job.pk, state=Job.State.DUE).update(state=Job.State.CANCELLED)
    if not changed:
        raise JobNotOpen(f"job {job.pk} is {job.state}")


def _put_back(run: Run, assignments: str, *values: str | float) -> bool:
    """Make the job wait again. False if it was no longer this run's, or its work waits already."""
    try:
        with transaction.atomic():
            return _update(run, f"state = 'due', dispatched_at = null, {assignments}", *values)
    except IntegrityError:
        # `job_waits_once`: a nudge came while this run was at work.
        return False


def _update(run: Run, assignments: str, *values: str | float) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            f"update consolidation_job set {assignments} "  # noqa: S608 - literals above
            "where id = %s and fence = %s and state = 'running'",
            (*values, run.id, run.fence),
        )
        return bool(cursor.rowcount == 1)

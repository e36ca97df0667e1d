"""The queue in the database: enqueue, take, claim with lease and fence, finish.

Every time in here is the database's: the clocks of the workers decide nothing.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from accounts.driver import Row, run
from consolidation.errors import JobNotOpen, LeaseLost
from consolidation.jobs import statements
from consolidation.jobs.rotation import CLASSES, Rotation, order_of_classes
from consolidation.models import Job
from consolidation.models.priorities import SLOW, Priority, priority_of
from providers.errors import OutOfCredit

# A job that was handed out and not claimed is handed out again after this.
DISPATCH_SECONDS = 10
BACKOFF_SECONDS = 2.0
LONGEST_BACKOFF_SECONDS = 300.0
UNPAID = OutOfCredit.code
# In one look: the next one follows soon.
MOST_RIPE, MOST_SUBJECTS = 200, 50

_rotation = Rotation()
_walked_to = [""]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a job. The fence tells it from every other attempt."""

    id: int
    kind: str
    key: str
    subject: str
    fence: int
    attempt: int
    max_attempts: int


def enqueue(
    *,
    kind: str,
    key: str,
    subject: str = "",
    delay_seconds: float = 0,
    owner: int = 0,
    priority: Priority | None = None,
) -> int:
    """Make a job, in the caller's transaction; one that waits already is brought forward instead.

    `owner` is whose turn it takes, 0 for the installation's; `priority` is the kind's own by default.
    """
    values: dict[str, object] = {
        "kind": kind,
        "key": key,
        "subject": subject,
        "most": settings.JOB_MAX_ATTEMPTS,
        "delay": float(delay_seconds),
        "owner": owner,
        "priority": int(priority_of(kind) if priority is None else priority),
    }
    ((job,),) = run(statements.ENQUEUE, values)
    return int(job)


def take(limit: int) -> list[int]:
    """Return the ids of jobs to hand out now; none of them is handed out again for a while."""
    ripen()
    walk()
    values: dict[str, object] = {"dispatch": DISPATCH_SECONDS, "limit": limit}
    taken = [int(job) for (job,) in run(statements.LAPSED, values)]
    while len(taken) < limit and (row := _turn(statements.TAKE, values, CLASSES)):
        taken.append(row[0])
    return taken


def ripen() -> None:
    """Look at what has become due: it is ready, or behind another of its subject."""
    run(statements.RIPEN, {"limit": MOST_RIPE})


def walk() -> None:
    """Free the first job of some subjects, after those of the last time, where nothing is before it."""
    values: dict[str, object] = {"after": _walked_to[0], "limit": MOST_SUBJECTS}
    ((_walked_to[0],),) = run(statements.WALK, values)


def somebody_waits(*, before: Priority) -> bool:
    """Return whether a job of a class that goes before this one is ready."""
    ((waits,),) = run(statements.SOMEBODY_WAITS, {"priority": int(before)})
    return bool(waits)


def next_run() -> Attempt | None:
    """Claim the job whose turn it is; None if none is ready, or only slow ones are and enough run."""
    found = _claim_next()
    if found is None:
        ripen()
        found = _claim_next()
    return found


def _claim_next() -> Attempt | None:
    try:
        with transaction.atomic():
            row = _turn(
                statements.NEXT, {"lease": float(settings.JOB_LEASE_SECONDS)}, order_of_classes()
            )
    except IntegrityError:
        # `job_runs_alone`: another of its subject has just begun.
        return None
    return Attempt(*row) if row else None


def claim(job_id: int) -> Attempt | None:
    """Make the job this worker's until the lease ends; None if it is not due, not free or spent."""
    values: dict[str, object] = {"job": job_id, "lease": float(settings.JOB_LEASE_SECONDS)}
    try:
        with transaction.atomic():
            rows = run(statements.CLAIM, values)
    except IntegrityError:
        # `job_runs_alone`: another of its subject has just begun.
        return None
    return Attempt(job_id, *rows[0]) if rows else None


def _turn(statement: str, values: dict[str, object], order: list[int]) -> Row:
    """Send a statement for the job whose turn it is, and note the turn; empty if nobody's is."""
    own = {
        "classes": order,
        "turns": _rotation.as_json(),
        "slow": [int(priority) for priority in SLOW],
        "most": max(settings.WORKERS - 1, 1),
    }
    rows = run(statement, values | own)
    if not rows:
        return ()
    priority, organization, owner, *job = rows[0]
    _rotation.note(priority, organization, owner)
    return tuple(job)


@contextmanager
def holding(held: Attempt) -> Iterator[None]:
    """Open a transaction in which the job is surely still this run's, and lengthen its lease.

    Raises LeaseLost if it is not; then nothing in the block happens.
    """
    with transaction.atomic():
        if not run(statements.HOLD, _held(held) | {"lease": float(settings.JOB_LEASE_SECONDS)}):
            raise LeaseLost(f"job {held.id} is no longer held under fence {held.fence}")
        yield


def finish(held: Attempt) -> bool:
    """End the job well, and let the next of its subject be ready. False if it was no longer this run's."""
    return bool(run(statements.FINISH, _held(held)))


def rest(held: Attempt, *, seconds: float) -> bool:
    """End this round of a periodic job: it is due again after `seconds`, with all its attempts.

    One whose next round waits as a job of its own already is done.
    """
    values = _held(held) | {"wait": float(seconds)}
    return _put_back(statements.REST, values) or finish(held)


def postpone(
    held: Attempt, *, code: str, seconds: float | None = None, counts: bool = True
) -> bool:
    """Put the job back, or bury it when its attempts are spent.

    Without `seconds` the wait grows with the attempts, with full jitter. Where the same work waits
    in a newer job already, that one does it, and this one is cancelled.
    """
    if counts and held.attempt >= held.max_attempts:
        return _end(held, Job.State.DEAD, code)
    longest = min(BACKOFF_SECONDS * 2**held.attempt, LONGEST_BACKOFF_SECONDS)
    wait = seconds if seconds is not None else random.uniform(longest / 2, longest)  # noqa: S311 - jitter
    values = _held(held) | {"code": code, "back": 0 if counts else 1, "wait": float(wait)}
    statement = statements.SET_ASIDE if code == UNPAID else statements.PUT_BACK
    return _put_back(statement, values) or _end(held, Job.State.CANCELLED, code)


def bury_the_spent() -> list[tuple[str, str]]:
    """Mark as dead what killed its worker at every attempt; return their kinds and keys."""
    return [(str(kind), str(key)) for kind, key in run(statements.BURY, {})]


def retry(job: Job) -> None:
    """Make a dead or cancelled job due again. Raises JobNotOpen for any other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "update consolidation_job old set state = 'due', attempts = 0, not_before = now(), "
            "dispatched_at = null, finished_at = null, stage = 'later' "
            "where id = %s and state in ('dead', 'cancelled') and not exists ("
            "  select from consolidation_job o where o.kind = old.kind and o.key = old.key and o.state = 'due')",
            (job.pk,),
        )
        if not cursor.rowcount:
            raise JobNotOpen(f"job {job.pk} is {job.state}, or its work waits already")


def cancel(job: Job) -> None:
    """Take a waiting job out. Raises JobNotOpen for any other."""
    if not run(statements.CANCEL, {"job": job.pk}):
        raise JobNotOpen(f"job {job.pk} is {job.state}")


def _end(held: Attempt, state: Job.State, code: str) -> bool:
    return bool(run(statements.END, _held(held) | {"state": state.value, "code": code}))


def _put_back(statement: str, values: dict[str, object]) -> bool:
    """Make the job wait again. False if it was no longer this run's, or its work waits already."""
    try:
        with transaction.atomic():
            return bool(run(statement, values))
    except IntegrityError:
        # `job_waits_once`: a nudge came while this run was at work.
        return False


def _held(held: Attempt) -> dict[str, object]:
    return {"job": held.id, "fence": held.fence}

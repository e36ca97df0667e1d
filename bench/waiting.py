"""What a job costs while others wait: the queue at 1,000, 100,000 and 1,000,000 open jobs."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import psycopg

from consolidation.jobs import queue

SIZES = (1_000, 100_000, 1_000_000)
# Enough to be measured, and so few that as many wait at the end as at the beginning.
MEASURED = 400
# `n` is the place of a job among them: of whom it is, and what it must not overtake.
SHAPES = {
    "one subject": "'learn:only'",
    "2,000 subjects": "'learn:' || n %% 2000",
}
FILL = """
insert into consolidation_job (kind, key, subject, state, attempts, max_attempts, fence, last_error_code,
                               priority, owner, stage)
select 'nothing', n::text, {subject}, 'due', 0, 5, 0, '', 3, n %% 2000,
       case when n <= {first} then 'ready' else 'behind' end
from generate_series(1, %s) n
"""
FIRST = {"one subject": 1, "2,000 subjects": 2_000}


@dataclass(frozen=True, slots=True)
class Row:
    """Jobs a second of one worker, and milliseconds of one look for what to hand out, and of one enqueue."""

    shape: str
    waiting: int
    rate: float
    take: float
    enqueue: float


def rows(raw: psycopg.Connection, sizes: Sequence[int]) -> Iterator[Row]:
    for shape in SHAPES:
        for size in sizes:
            raw.execute("truncate consolidation_job")
            _fill(raw, shape, size)
            yield Row(shape, size, _rate(), _milliseconds(_take), _milliseconds(_enqueue))
    raw.execute("truncate consolidation_job")


def _fill(raw: psycopg.Connection, shape: str, size: int) -> None:
    raw.execute(FILL.format(subject=SHAPES[shape], first=FIRST[shape]), (size,))
    raw.execute("vacuum analyze consolidation_job")


def _rate() -> float:
    """Claim and finish one job after another. Raises AssertionError where one could not be had."""
    began = time.perf_counter()
    for _ in range(MEASURED):
        run = queue.next_run()
        assert run is not None
        queue.finish(run)
    return MEASURED / (time.perf_counter() - began)


def _take(n: int) -> None:
    queue.take(1)


def _enqueue(n: int) -> None:
    queue.enqueue(kind="nothing", key=f"new-{n}", subject="learn:only", owner=n)


def _milliseconds(call: Callable[[int], None]) -> float:
    began = time.perf_counter()
    for n in range(50):
        call(n)
    return 1000 * (time.perf_counter() - began) / 50

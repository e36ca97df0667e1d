"""Appends against bare inserts of rows of the same size, alone and side by side, all durable."""

import time
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from uuid import UUID

import orjson
import psycopg

from accounts.models import Agent
from bench.measure import interleave, show, show_rates
from bench.setup import bare
from consolidation.intake.accept import accept_events
from memory.messages import draft_of
from memory.models import Session
from memory.sessions import open_session

WRITERS, TURNS, SECONDS = 8, 3, 1.5
TABLE = "create table bench_event (id uuid primary key, session uuid, seq int, payload jsonb, hash bytea)"
INSERT = "insert into bench_event values (%s, %s, %s, %s, %s)"
DRAFT = draft_of({"role": "user", "content": "some words of usual length " * 5})
together: Barrier
PAYLOAD = orjson.dumps(DRAFT.payload).decode()


def append(raw: psycopg.Connection, agent: Agent) -> None:
    """Compare appends with a bare insert and a bare COPY."""
    raw.execute(TABLE)
    session = open_session(agent=agent, user="writer").session

    def copy(n: int) -> None:
        with raw.cursor().copy("copy bench_event from stdin") as rows:
            for place in range(100):
                rows.write_row(_row(place))

    found = interleave(
        {
            "insert": lambda n: raw.execute(INSERT, _row(n), prepare=True),
            "one": lambda n: accept_events(agent=agent, session=session, drafts=[DRAFT]),
            "copy": copy,
            "batch": lambda n: accept_events(agent=agent, session=session, drafts=[DRAFT] * 100),
        }
    )
    show("one row, bare INSERT, durable", found["insert"])
    show("  one event, chained, durable", found["one"], found["insert"], "≤ 1.5")
    show("100 rows, bare COPY, durable", found["copy"])
    show("  100 events, chained (goal as time: ≤ 1.67)", found["batch"], found["copy"], "≤ 1.67")


def writers(agent: Agent) -> None:
    """Compare processes that write at once, each to a session of its own, with one: what locks cost."""
    sessions = [open_session(agent=agent, user=f"writer-{n}").session.pk for n in range(WRITERS)]
    context = get_context("spawn")
    shared = {"mp_context": context, "initializer": meet, "initargs": (context.Barrier(WRITERS),)}
    with ProcessPoolExecutor(WRITERS, **shared) as pool:
        counts = sum(pool.map(write, range(WRITERS), sessions), Counter())
    for way, what, goal in (
        ("rows", f"{WRITERS} processes against 1, bare INSERT", ""),
        ("events", f"  {WRITERS} writers against 1, events", "≥ 3.5"),
    ):
        many, one = (counts[way, alone] / SECONDS / TURNS for alone in (False, True))
        show_rates(what, many, one, goal)


def meet(barrier: Barrier) -> None:
    """Keep what the processes of a pool wait for each other with."""
    global together
    together = barrier


def write(place: int, session: UUID) -> Counter[tuple[str, bool]]:
    """Write each way in turn, with all the others and, for the first process, alone; count it."""
    counts: Counter[tuple[str, bool]] = Counter()
    for _ in range(TURNS):
        for name, way in {"rows": _inserting(), "events": _appending(session)}.items():
            for alone in (False, True):
                way()
                together.wait()
                if place == 0 or not alone:
                    counts[name, alone] += _count(way)
    return counts


def _count(way: Callable[[], object]) -> int:
    until, count = time.monotonic() + SECONDS, 0
    while time.monotonic() < until:
        way()
        count += 1
    return count


def _inserting() -> Callable[[], object]:
    raw = bare()
    return lambda: raw.execute(INSERT, _row(0), prepare=True)


def _appending(pk: UUID) -> Callable[[], object]:
    session = Session.objects.select_related("owner__agent").get(pk=pk)
    agent = session.owner.agent
    return lambda: accept_events(agent=agent, session=session, drafts=[DRAFT])


def _row(place: int) -> tuple:
    return uuid.uuid4(), uuid.uuid4(), place, PAYLOAD, b"x" * 32

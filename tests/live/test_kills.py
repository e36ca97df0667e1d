"""What is acknowledged is kept, and happens once, whatever is killed meanwhile."""

import os
import signal
import socket
from pathlib import Path

import pytest

from tests.live.installation import Installation

pytestmark = pytest.mark.timeout(360)
LONG_FORM = ("job.after_claim", "job.after_reply", "job.after_apply", "embed.before_write")
COVERED = """
select count(*) from memory_event e where e.session_id = '{0}' and not exists (
  select from memory_chunk c where c.session_id = e.session_id and c.lane = e.lane
    and e.seq between c.first_seq and c.last_seq)
"""


def open_session(installation: Installation) -> str:
    return str(installation.insist("sessions", {"user": "alice"})["id"])


def write(installation: Installation, session: str, count: int, name: str = "w") -> list[str]:
    """Append messages one by one, insisting on each; return the acknowledged ids."""
    found = []
    for place in range(count):
        body = {"messages": [{"role": "user", "content": f"{name} {place} says something"}]}
        answer = installation.insist(
            f"sessions/{session}/events", body, f"{session}-{name}-{place}"
        )
        found += [event["id"] for event in answer["events"]]
    return found


def end(installation: Installation, session: str) -> None:
    installation.insist(f"sessions/{session}/end", {})
    sql = f"select state from memory_session where id = '{session}'"
    installation.wait_until(lambda: installation.rows(sql) == [("closed",)], 150)


def check(installation: Installation, session: str, acknowledged: list[str]) -> None:
    """Each acknowledged event is there once, and each stands in the chunks once."""
    stored = installation.rows(
        f"select id::text, seq from memory_event where session_id = '{session}'"
    )
    assert len(acknowledged) == len(set(acknowledged))
    assert sorted(id for id, _ in stored) == sorted(acknowledged)
    assert sorted(seq for _, seq in stored) == list(range(1, len(stored) + 1))
    assert installation.rows(COVERED.format(session)) == [(0,)]
    chunks = installation.rows(
        f"select count(*), count(distinct first_seq) from memory_chunk where session_id = '{session}'"
    )
    assert chunks == [(len(stored), len(stored))]
    postings = installation.rows(
        "select count(*) from memory_ownerindex i where i.chunks <> "
        "(select count(*) from memory_chunk c where c.owner_id = i.owner_id)"
    )
    assert postings == [(0,)]


def victims(installation: Installation, mark: bytes) -> list[int]:
    found = []
    for pid in installation.processes():
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if mark in command:
            found.append(pid)
    return sorted(found)


@pytest.mark.parametrize("name", ["ingest.before_commit", "ingest.after_commit"])
def test_a_kill_while_storing_loses_and_doubles_nothing(installation, name):
    session = open_session(installation)
    first = write(installation, session, 3, "a")
    consumed = installation.fail(name)

    rest = write(installation, session, 5, "b")

    assert not consumed.exists()
    end(installation, session)
    check(installation, session, first + rest)


@pytest.mark.parametrize(
    "name",
    [
        "close.after_state",
        "job.mid_apply",
        "embed.mid_batch",
        *(pytest.param(name, marks=pytest.mark.full) for name in LONG_FORM),
    ],
)
def test_a_kill_while_ending_finishes_once_all_the_same(installation, name):
    session = open_session(installation)
    acknowledged = write(installation, session, 3)
    consumed = installation.fail(name)

    end(installation, session)

    installation.wait_until(lambda: not consumed.exists(), 30)
    waiting = f"select count(*) from memory_chunk where session_id = '{session}' and embedding_state <> 'done'"
    installation.wait_until(lambda: installation.rows(waiting) == [(0,)], 60)
    check(installation, session, acknowledged)


@pytest.mark.requirement("OC-28")
@pytest.mark.parametrize(
    "name",
    [
        "learn.mid_write",
        *(
            pytest.param(f"learn.{name}", marks=pytest.mark.full)
            for name in ("after_reply", "after_pin", "after_write")
        ),
    ],
)
def test_a_kill_while_learning_leaves_each_verdict_once(installation, name):
    session = open_session(installation)
    consumed = installation.fail(name)
    talk = [
        {"role": "user", "content": "My sister is called Ana. From now on answer briefly."},
        {"role": "assistant", "content": "I see."},
    ]

    installation.insist(f"sessions/{session}/events", {"messages": talk}, f"{session}-learn")

    done = f"select state from consolidation_learningrun where session_id = '{session}'"
    installation.wait_until(lambda: installation.rows(done) == [("done",)] * 2, 90)
    assert not consumed.exists()
    lanes = f"select lane from consolidation_candidate where session_id = '{session}' order by lane"
    assert installation.rows(lanes) == [("procedural",), ("semantic",)]


@pytest.mark.parametrize("mark", [b"gunicorn", b"qcluster", b"bin/postgres"])
def test_a_killed_program_comes_back_with_everything(installation, mark):
    session = open_session(installation)
    first = write(installation, session, 3, "a")
    os.kill(victims(installation, mark)[0], signal.SIGKILL)

    rest = write(installation, session, 5, "b")

    end(installation, session)
    check(installation, session, first + rest)


def test_replies_cut_and_requests_repeated_store_each_event_once(installation):
    session = open_session(installation)
    key = installation.facts()["agent_key"]
    acknowledged = []
    for place in range(40):
        body = f'{{"messages":[{{"role":"user","content":"cut {place}"}}]}}'
        head = (
            f"POST /api/v1/sessions/{session}/events HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
            f"Idempotency-Key: cut-{place}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", installation.port), timeout=10) as wire:
            wire.sendall((head + body).encode())

        sent = {"messages": [{"role": "user", "content": f"cut {place}"}]}
        answer = installation.insist(f"sessions/{session}/events", sent, f"cut-{place}")
        acknowledged += [event["id"] for event in answer["events"]]

    end(installation, session)
    check(installation, session, acknowledged)


def test_every_chain_holds_after_all_that(installation):
    found = installation.rows(
        "select count(*) from memory_event e join memory_event p on p.session_id = e.session_id "
        "and p.lane = e.lane and p.seq = e.seq - 1 where e.prev_hash <> p.hash"
    )

    assert found == [(0,)]


def test_no_job_ran_more_often_than_it_may(installation):
    assert installation.rows(
        "select count(*) from consolidation_job where attempts > max_attempts"
    ) == [(0,)]

"""Whatever is killed while a lane is folded or a session promoted, nothing is lost and nothing doubled."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.live.installation import ROOT, Installation
from tests.live.test_kills import end

pytestmark = pytest.mark.timeout(240)
WINDOW = 4
# An event that is neither shown nor in what a marker covers, and one that is both.
LOST = """
select count(*) from memory_event e join memory_lanewindow w using (session_id, lane)
where e.session_id = '{0}' and e.seq < w.start_seq and not e.seq = any (w.kept)
and not exists (select from memory_compactmarker m
  where m.session_id = e.session_id and m.lane = e.lane and e.seq = any (m.folded))
"""
DOUBLE = """
select count(*) from memory_lanewindow w join memory_compactmarker m using (session_id, lane)
where w.session_id = '{0}' and exists (
  select from unnest(m.folded) one where one >= w.start_seq or one = any (w.kept))
"""
COVERED_TWICE = """
select count(*) from (select one from memory_compactmarker m, unnest(m.folded) one
where m.session_id = '{0}' group by m.lane, one having count(*) > 1) found
"""
UNSAVED = """
select count(*) from consolidation_compactionrun r, jsonb_array_elements(r.reply -> 'facts') piece,
  jsonb_array_elements(piece) fact
where r.session_id = '{0}' and r.state = 'applied' and not exists (
  select from knowledge_savedfact s join memory_session o on o.owner_id = s.owner_id
  where o.id = r.session_id and s.key = fact ->> 'key')
"""
UNPAIRED = """
select count(*) from memory_compactmarker m full join knowledge_entry a
  on a.name = m.archive_name where a.id is null or (a.kind = 'archive' and m.id is null)
"""
MARKERS = "select count(*) from memory_compactmarker where session_id = '{0}'"
BUSY = (
    "select count(*) from consolidation_job where kind = 'compact' and state in ('due', 'running')"
)
# One statement sees one moment: a session is in one tier, and its chunks are in the same.
TORN = """
select count(*) from memory_session s join memory_chunk c on c.session_id = s.id
where (s.tier = 'mid_term') <> (c.tier = 'mid_term')
"""


@pytest.fixture(scope="module")
def installation(folder) -> Iterator[Installation]:
    made = Installation(folder, RECOLLECT_CHAT="offline").start()
    limits = f"window_events = {WINDOW}, mid_term_sessions = 1"
    made.rows(f"update accounts_agent set {limits} returning 1")
    yield made
    made.stop()


def open_session(installation: Installation, strategy: str = "reference_summary") -> str:
    body = {"user": "alice", "strategy": strategy}
    return str(installation.insist("sessions", body)["id"])


def talk(installation: Installation, session: str, turns: int, start: int = 0) -> list[str]:
    """Speak in turns; return the acknowledged ids."""
    found = []
    for place in range(start, start + turns):
        said = f"My favourite dish number {place} is pasta with {place} olives, as I told you before, twice."
        messages = [
            {"role": "user", "content": said},
            {"role": "assistant", "content": f"Noted, dish {place}."},
        ]
        path, key = f"sessions/{session}/events", f"{session}-{place}"
        answer = installation.insist(path, {"messages": messages}, key)
        found += [event["id"] for event in answer["events"]]
    return found


def settle(installation: Installation, session: str, markers: int) -> None:
    """Wait until a lane has been folded this often and nothing more is due."""
    installation.wait_until(
        lambda: (
            installation.rows(MARKERS.format(session))[0][0] >= markers
            and installation.rows(BUSY) == [(0,)]
        ),
        60,
    )


def check(installation: Installation, session: str, acknowledged: list[str]) -> None:
    """Each event is stored once, and either shown or in what a marker covers, which has an archive."""
    stored = f"select id::text from memory_event where session_id = '{session}' order by seq"
    assert [id for (id,) in installation.rows(stored)] == acknowledged
    for sql in (LOST, UNSAVED, UNPAIRED):
        assert installation.rows(sql.format(session)) == [(0,)]


@pytest.mark.requirement("CT-17")
@pytest.mark.requirement("CT-21")
@pytest.mark.requirement("XX-02")
def test_kills_at_each_place_of_a_fold_lose_and_double_nothing(installation):
    acknowledged: dict[str, list[str]] = {
        open_session(installation, name): [] for name in ("reference_summary", "archive")
    }
    for session, ids in acknowledged.items():
        ids += talk(installation, session, WINDOW // 2)
    names = ("job.after_pin", "compact.after_archive", "compact.after_marker")
    consumed = [installation.fail(name) for name in names]

    for session, ids in acknowledged.items():
        ids += talk(installation, session, 2, start=WINDOW // 2)
        installation.insist(f"sessions/{session}/compact", {})
    installation.wait_until(lambda: not any(path.exists() for path in consumed), 60)
    for session, ids in acknowledged.items():
        ids += talk(installation, session, 1, start=WINDOW)

    for session, ids in acknowledged.items():
        settle(installation, session, 1)
        check(installation, session, ids)
        assert installation.rows(DOUBLE.format(session)) == [(0,)]
        assert installation.rows(COVERED_TWICE.format(session)) == [(0,)]


@pytest.mark.requirement("CH-49")
def test_a_kill_between_snapshot_and_fold_is_restored_without_a_loss(installation):
    session = open_session(installation)
    acknowledged = talk(installation, session, WINDOW // 2)
    installation.insist(f"sessions/{session}/heartbeat", {})
    consumed = installation.fail("compact.after_marker")
    acknowledged += talk(installation, session, 2, start=WINDOW // 2)
    installation.wait_until(lambda: not consumed.exists(), 30)
    # Whoever takes the fold up again waits, so that the restore comes before it.
    installation.fail("job.after_reply", "sleep 20")

    restore(installation, session)

    window = f"select start_seq, kept, last_seq from memory_lanewindow where lane = 'edge' and session_id = '{session}'"
    assert installation.rows(window) == [(1, [], 8)]
    assert installation.rows(MARKERS.format(session)) == [(0,)]
    prompt = installation.insist(f"sessions/{session}/context", {})
    texts = str([message["content"] for message in prompt["messages"]])
    assert all(f"dish number {place} is" in texts for place in range(4))
    acknowledged += talk(installation, session, 2, start=4)
    settle(installation, session, 1)
    check(installation, session, acknowledged)


@pytest.mark.requirement("CH-49")
def test_a_fold_after_the_snapshot_is_shown_again_and_repeated(installation):
    session = open_session(installation)
    acknowledged = talk(installation, session, WINDOW // 2)
    installation.insist(f"sessions/{session}/heartbeat", {})
    acknowledged += talk(installation, session, 2, start=WINDOW // 2)
    settle(installation, session, 1)
    consumed = installation.fail("job.after_apply")
    acknowledged += talk(installation, session, 1, start=WINDOW)
    installation.wait_until(lambda: not consumed.exists(), 30)

    restore(installation, session)

    acknowledged += talk(installation, session, 1, start=WINDOW + 1)
    settle(installation, session, 2)
    check(installation, session, acknowledged)


@pytest.mark.requirement("CH-59")
def test_a_kill_while_promoting_leaves_every_session_in_one_tier(installation):
    first, second = open_session(installation), open_session(installation)
    acknowledged = {session: talk(installation, session, 1) for session in (first, second)}
    end(installation, first)
    consumed = installation.fail("promote.mid_apply")

    installation.insist(f"sessions/{second}/end", {})

    tier = f"select tier from memory_session where id = '{first}'"
    seen: set[tuple[int]] = set()

    def is_moved() -> bool:
        seen.update(installation.rows(TORN))
        return installation.rows(tier) == [("long_term",)]

    installation.wait_until(lambda: not consumed.exists() and is_moved(), 60)
    seen.update(installation.rows(TORN))
    assert seen == {(0,)}
    end(installation, second)
    for session, ids in acknowledged.items():
        check(installation, session, ids)
    summaries = f"select count(*) from memory_chunk where session_id = '{first}' and tier = 'long_term_summary'"
    assert installation.rows(summaries) == [(1,)]


def restore(installation: Installation, session: str) -> None:
    """Put a session back to its latest snapshot, as an operator does."""
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "session", "restore", session],
        env={name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        | installation.environment,
        check=True,
        capture_output=True,
        timeout=60,
    )

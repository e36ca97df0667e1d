"""Incognito on a whole installation: what is said leaves no byte on the disk and changes no row."""

import base64
import os
import signal
import urllib.error
from pathlib import Path

import pytest

from memory_project.database import home
from tests.live.installation import Installation

pytestmark = pytest.mark.timeout(300)

CANARY = "marzipan-submarine-7f3ac1"
TURNS = 50
FORMS = (
    CANARY.encode(),
    CANARY.encode("utf-16-le"),
    CANARY.encode("utf-16-be"),
    "".join(f"\\u{ord(letter):04x}" for letter in CANARY).encode(),
    # The three ways that base64 may be in step with it.
    *(base64.b64encode(b" " * shift + CANARY.encode() + b"  ")[4:-8] for shift in range(3)),
)
# Changed by the workers' signs of life, or by any request with a key.
RESTLESS = ("consolidation_workerheartbeat", "accounts_requestbucket")
TABLES = """
select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
order by relname
"""


def digests(installation: Installation) -> dict[str, tuple]:
    found = {}
    for (table,) in installation.rows(TABLES):
        if table not in RESTLESS:
            # The sweep comes again and again; another job would show all the same.
            row = "t.kind || t.key" if table == "consolidation_job" else "t::text"
            rows = f"select count(*), md5(string_agg({row}, '|' order by {row})) from {table} t"
            found[table] = installation.rows(rows)[0]
    return found


def holders(folder: Path) -> list[str]:
    """Return the files below a folder that hold the canary in any form."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            if any(form in content for form in FORMS):
                found.append(str(path))
    return found


def refused(installation: Installation, path: str, body: object) -> int:
    try:
        installation.call(path, body)
    except urllib.error.HTTPError as error:
        return error.code
    return 0


def talk(installation: Installation) -> str:
    """Have a whole conversation with whatever can go wrong in it; return the session's address."""
    body = {"user": CANARY, "mode": "synced", "metadata": {"x": CANARY}, "external_id": CANARY}
    opened = installation.call("sessions", body)
    assert opened["mode"] == "incognito"
    place = f"sessions/{opened['id']}"
    for number in range(TURNS):
        said = [
            {"role": "user", "content": f"{number} remember {CANARY}, from now on be brief"},
            {"role": "assistant", "content": f"{CANARY} it is"},
        ]
        installation.call(f"{place}/events", {"messages": said}, key=f"{CANARY}-{number}")
        prompt = installation.call(f"{place}/context", {"query": CANARY})
        assert prompt["messages"][-1]["content"] == f"{CANARY} it is"
        assert prompt["receipt"] is None
    large = {"messages": [{"role": "user", "content": f"{CANARY} " * 9_000}]}
    installation.call(f"{place}/events", large)
    too_large = {"messages": [{"role": "user", "content": CANARY * 130_000}]}
    assert refused(installation, f"{place}/events", too_large) == 413
    assert refused(installation, f"{place}/events", {"messages": [CANARY]}) == 422
    assert refused(installation, f"{place}/context", {"max_tokens": 1, "query": CANARY}) == 422
    assert refused(installation, f"{place}/compact", {"lane": CANARY}) == 404
    assert refused(installation, f"{place}/transcript", large) == 404
    report = {"level": 3, "classifier_path": "llm_primary", "reason": CANARY, "trace_id": CANARY}
    assert installation.call(f"{place}/crisis", report) == {"outcome": "recorded"}
    return place


@pytest.mark.requirement("OC-74")
@pytest.mark.requirement("OC-77")
@pytest.mark.requirement("XX-03")
def test_a_conversation_of_a_guest_leaves_no_trace(own_folder):
    installation = Installation(own_folder, "--mode", "guest").start()
    try:
        before = digests(installation)
        place = talk(installation)
        other = installation.call("sessions", {"user": CANARY})["id"]
        installation.call(f"{place}/end", {"feedback": "negative"})

        assert digests(installation) == before
        assert holders(own_folder) == []
        # Kept in memory: with its process what is left is gone.
        (holder,) = [
            pid
            for pid in installation.processes()
            if b"incognito" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        os.kill(holder, signal.SIGKILL)
        said = {"messages": [{"role": "user", "content": CANARY}]}
        installation.wait_until(
            lambda: refused(installation, f"sessions/{other}/events", said) == 404
        )
        assert installation.call("sessions", {"user": "alice"})["mode"] == "incognito"
    finally:
        installation.stop()

    assert (home(own_folder) / "data" / "pg_wal").is_dir()
    assert home(own_folder).is_relative_to(own_folder)
    assert holders(own_folder) == []
    assert installation.processes() == []


def test_what_is_said_in_a_stored_session_is_found_by_the_scan(own_folder):
    installation = Installation(own_folder).start()
    try:
        opened = installation.call("sessions", {"user": "alice"})
        said = {"messages": [{"role": "user", "content": CANARY}]}
        installation.call(f"sessions/{opened['id']}/events", said)
    finally:
        installation.stop()

    assert any("pg_wal" in path for path in holders(own_folder))


def test_the_scan_finds_what_is_there(tmp_path):
    for number, form in enumerate(FORMS):
        (tmp_path / f"form-{number}").write_bytes(b"x" + form)

    assert len(holders(tmp_path)) == len(FORMS)
    text = base64.b64encode(b"it is " + CANARY.encode() + b", she said")
    assert any(form in text for form in FORMS)

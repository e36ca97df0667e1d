"""Back up, forget, lose everything, restore: what was forgotten stays forgotten."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from memory_project.embedded import Server
from tests.live.installation import ROOT

pytestmark = pytest.mark.timeout(240)


def run(data, *command, code=0, **own):
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        | {
            "RECOLLECT_DATA": str(data),
            "RECOLLECT_EMBEDDER": "hashing",
            "RECOLLECT_CHAT": "offline",
        }
        | {"DJANGO_SETTINGS_MODULE": "memory_project.settings"}
        | own,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stderr[-2000:]
    return done


@contextmanager
def serving(data):
    server = Server(data)
    server.start()
    try:
        yield
    finally:
        server.stop()


def told(done):
    return json.loads(done.stdout.splitlines()[-1])


def test_what_was_erased_and_forgotten_after_the_backup_does_not_come_back(
    own_folder, empty_folder
):
    archive, lost, fails = own_folder / "all.tar", own_folder, empty_folder / "failpoints"
    with serving(lost):
        before = told(run(lost, "-m", "tests.live.drill", "remember", str(archive)))
    for name in ("secrets.json", "erasures.jsonl"):
        shutil.copy(lost / name, empty_folder / f"kept-{name}")
    (empty_folder / "kept-secrets.json").rename(empty_folder / "secrets.json")
    fails.mkdir()
    (fails / "restore.before_reapply").write_text("kill")
    ledger = str(empty_folder / "kept-erasures.jsonl")
    command = ("manage.py", "restore", str(archive), "--ledger", ledger)

    run(empty_folder, *command, code=-9, RECOLLECT_FAILPOINTS=str(fails))
    with serving(empty_folder):
        between = told(run(empty_folder, "-m", "tests.live.drill", "tell"))
    said = run(empty_folder, *command)
    with serving(empty_folder):
        after = told(run(empty_folder, "-m", "tests.live.drill", "tell"))

    assert between["is_restoring"]
    assert between["of_bob"] > 0
    assert "1 erased, 1 forgotten, 0 taken back" in said.stdout
    assert "chains hold" in said.stdout
    assert "NO LEDGER" not in said.stderr
    assert not after["is_restoring"]
    assert after["of_bob"] == before["of_bob"] == 0
    assert after["files"] == before["files"] == ["alice spoke."]
    assert "Minka" not in json.dumps(after)
    assert "Ana" in after["found"]
    assert "Lisbon" in after["found"]
    same = ("facts", "found", "counts", "muted", "tombstones")
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_nothing_of_any_kind_that_was_deleted_comes_back(own_folder, empty_folder):
    archive = own_folder / "all.tar"
    with serving(own_folder):
        before = told(run(own_folder, "-m", "tests.live.drill", "delete", str(archive)))
    shutil.copy(own_folder / "secrets.json", empty_folder / "secrets.json")

    ledger = str(own_folder / "erasures.jsonl")
    done = run(empty_folder, "manage.py", "restore", str(archive), "--ledger", ledger)
    with serving(empty_folder):
        after = told(run(empty_folder, "-m", "tests.live.drill", "left"))

    assert "0 erased, 14 forgotten, 0 taken back" in done.stdout
    assert before == after == []

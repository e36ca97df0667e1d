"""Starting and stopping, as the README says it."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from tests.live.installation import ROOT, Installation, free_port

pytestmark = pytest.mark.timeout(240)


def refuse(environment: dict[str, str]) -> str:
    """Run `up`, which must fail at once; return what it says."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "up"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_it_starts_refuses_a_twin_and_keeps_everything(empty_folder):
    folder = empty_folder
    installation = Installation(folder).start()
    facts = installation.facts()

    assert set(facts) == {"url", "operator_login", "operator_password", "agent", "agent_key"}
    assert stat.S_IMODE((folder / "up.json").stat().st_mode) == 0o600
    assert "runs already" in refuse(installation.environment)
    other = {"RECOLLECT_DATA": str(folder / "other"), "RECOLLECT_PORT": str(installation.port)}
    assert "is taken" in refuse(installation.environment | other)

    assert installation.stop() == 0
    assert installation.processes() == []
    before = folder.stat().st_mode

    again = Installation(folder)
    again.start()
    kept = again.facts()
    sample = again.rows("select count(*) from memory_session")
    again.process.send_signal(signal.SIGKILL)
    again.process.wait()
    again.wait_until(lambda: again.processes() == [], 60)

    assert {name: kept[name] for name in facts if name != "url"} == {
        name: value for name, value in facts.items() if name != "url"
    }
    assert sample == [(3,)]
    assert folder.stat().st_mode == before

    third = Installation(folder).start()
    assert third.rows("select count(*) from memory_session") == sample
    third.stop()


def test_an_unreachable_database_is_one_clear_sentence(tmp_path):
    url = f"postgresql://nobody@127.0.0.1:{free_port()}/none"

    said = refuse(
        {"RECOLLECT_DATA": str(tmp_path), "DATABASE_URL": url, "RECOLLECT_PORT": str(free_port())}
    )

    assert "cannot connect" in said
    assert "DATABASE_URL" in said


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("RECOLLECT_PORT", "many", "RECOLLECT_PORT must be a whole number"),
        ("DATABASE_URL", "mysql://x/y", "DATABASE_URL must start with postgresql://"),
        ("RECOLLECT_EMBEDDER", "magic", "RECOLLECT_EMBEDDER must be one of"),
    ],
)
def test_a_malformed_setting_is_one_clear_sentence(tmp_path, name, value, expected):
    assert expected in refuse({"RECOLLECT_DATA": str(tmp_path), name: value})


def test_a_data_folder_that_cannot_be_made_is_one_clear_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")

    said = refuse({"RECOLLECT_DATA": str(tmp_path / "file")})

    assert "RECOLLECT_DATA" in said

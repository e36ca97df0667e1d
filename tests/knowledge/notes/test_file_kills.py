import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.requirement("CT-26")
@pytest.mark.requirement("CT-25")
def test_a_writer_killed_at_any_byte_leaves_the_old_file_or_the_new_one(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "tests.knowledge.notes.dying", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    found = dict(line.rsplit(" ", 1) for line in run.stdout.splitlines())
    assert found.pop("fsync 2") == "new"
    assert len(found) > 150
    assert set(found.values()) == {"old"}

"""A space that the workers build is full in the end, whoever is killed meanwhile."""

import os
import subprocess
import sys

import pytest

from tests.live.installation import ROOT, Installation
from tests.live.test_kills import end, open_session, write

pytestmark = pytest.mark.timeout(240)
MISSING = """
select count(*) from memory_chunk c where not exists (
  select from memory_embedding e join memory_embeddingspace s on s.id = e.space_id
  where s.dimension = 64 and e.owner_id = c.owner_id and e.document = c.number)
"""


def reembed(installation: Installation, *arguments: str) -> None:
    own = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "reembed", "--yes", *arguments],
        env=own | installation.environment,
        capture_output=True,
        timeout=60,
        check=True,
    )


def test_a_worker_killed_while_it_builds_a_space_finishes_it(installation):
    session = open_session(installation)
    write(installation, session, 3, "before")
    end(installation, session)
    consumed = installation.fail("reembed.mid_batch")

    reembed(installation, "--model", "hashing", "--dimension", "64", "--background")

    installation.wait_until(lambda: installation.rows(MISSING) == [(0,)], 60)
    assert not consumed.exists()
    reembed(installation, "--switch")
    late = open_session(installation)
    write(installation, late, 3, "after")
    end(installation, late)
    installation.wait_until(lambda: installation.rows(MISSING) == [(0,)], 60)
    states = "select dimension, state from memory_embeddingspace order by dimension"
    assert installation.rows(states) == [(64, "current"), (384, "retired")]

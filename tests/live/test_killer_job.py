"""A job that ends its worker at every attempt ends itself, and holds nobody up."""

import pytest

from tests.live.installation import Installation
from tests.live.test_kills import end, open_session, write

pytestmark = pytest.mark.timeout(240)


def test_a_killer_job_dies_visibly_while_others_go_on(folder):
    installation = Installation(folder, RECOLLECT_JOB_MAX_ATTEMPTS="2").start()
    killer = open_session(installation)
    write(installation, killer, 1)
    path = installation.fail("job.after_reply")
    installation.insist(f"sessions/{killer}/end", {})
    installation.wait_until(lambda: not path.exists(), 30)
    path = installation.fail("job.after_reply")
    state = f"select state, attempts, last_error_code from consolidation_job where key = '{killer}'"

    installation.wait_until(lambda: installation.rows(state)[0][0] == "dead", 90)

    assert installation.rows(state) == [("dead", 2, "worker_died")]
    step = f"select state, error_code from memory_sessionstep where name = 'chunk' and session_id = '{killer}'"
    installation.wait_until(lambda: installation.rows(step) == [("failed", "worker_died")], 60)
    healthy = open_session(installation)
    write(installation, healthy, 1)
    end(installation, healthy)
    installation.stop()

"""A job that ends its worker at every attempt ends itself, and holds nobody up."""

import pytest

from tests.live.installation import Installation
from tests.live.test_kills import end, open_session, write

pytestmark = pytest.mark.timeout(420)
# Each of two kills may leave a cluster that looks alive, which takes a minute to tell.
LONGEST = 240


def test_a_killer_job_dies_visibly_while_others_go_on(folder):
    installation = Installation(folder, RECOLLECT_JOB_MAX_ATTEMPTS="2").start()
    # The sample's sessions end by the same jobs, and shall not take the kills.
    busy = "select count(*) from consolidation_job where kind = 'finalise' and state in ('due', 'running')"
    installation.wait_until(lambda: installation.rows(busy) == [(0,)], 90)
    killer = open_session(installation)
    write(installation, killer, 1)
    path = installation.fail("job.after_reply")
    installation.insist(f"sessions/{killer}/end", {})
    installation.wait_until(lambda: not path.exists(), 30)
    path = installation.fail("job.after_reply")
    state = f"select state, attempts, last_error_code from consolidation_job where key = '{killer}'"

    installation.wait_until(lambda: installation.rows(state)[0][0] == "dead", LONGEST)

    assert installation.rows(state) == [("dead", 2, "worker_died")]
    step = f"select state, error_code from memory_sessionstep where name = 'chunk' and session_id = '{killer}'"
    installation.wait_until(lambda: installation.rows(step) == [("failed", "worker_died")], 60)
    healthy = open_session(installation)
    write(installation, healthy, 1)
    end(installation, healthy)
    installation.stop()

"""A data folder that was started once, whose sample is learned: copies of it start at once."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.live.installation import Installation

BUSY = "select count(*) from consolidation_job where kind in ('finalise', 'embed') and state in ('due', 'running')"


@contextmanager
def settled() -> Iterator[Path]:
    """Make the folder, or wait for the process that makes it for all that test together."""
    shared = os.environ.get("RECOLLECT_DATA")
    if shared is None or "PYTEST_XDIST_WORKER" not in os.environ:
        made = Path(tempfile.mkdtemp(prefix="rc-"))
        try:
            yield _started(made)
        finally:
            shutil.rmtree(made, ignore_errors=True)
        return
    # Thrown away with the data folder of the whole run.
    place = Path(shared) / "settled"
    with (Path(shared) / "settled.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            fresh = Path(shared) / "settled.new"
            fresh.mkdir()
            _started(fresh).rename(place)
    yield place


def _started(folder: Path) -> Path:
    folder.chmod(0o755)
    installation = Installation(folder).start()
    installation.wait_until(lambda: installation.rows(BUSY) == [(0,)], 120)
    installation.stop()
    return folder

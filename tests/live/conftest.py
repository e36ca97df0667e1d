import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.installation import Installation


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Make a folder that the database's own user can walk to, with a short name for its socket."""
    made = Path(tempfile.mkdtemp(prefix="rc-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def installation(folder: Path) -> Iterator[Installation]:
    made = Installation(folder).start()
    yield made
    made.stop()

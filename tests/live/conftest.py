import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live.installation import Installation
from tests.live.settled import settled


@contextmanager
def _made() -> Iterator[Path]:
    """Make a folder that the database's own user can walk to, with a short name for its socket."""
    made = Path(tempfile.mkdtemp(prefix="rc-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def empty_folder() -> Iterator[Path]:
    with _made() as made:
        yield made


@pytest.fixture
def own_folder(settled_folder: Path) -> Iterator[Path]:
    """Make a data folder of this test's own: what another one stored is not to be found in it."""
    with _made() as made:
        yield copied(settled_folder, made)


@pytest.fixture(scope="module")
def folder(settled_folder: Path) -> Iterator[Path]:
    with _made() as made:
        yield copied(settled_folder, made)


@pytest.fixture(scope="session")
def settled_folder() -> Iterator[Path]:
    with settled() as made:
        yield made


@pytest.fixture(scope="module")
def installation(folder: Path) -> Iterator[Installation]:
    made = Installation(folder).start()
    yield made
    made.stop()


def copied(source: Path, target: Path) -> Path:
    # With its owners: the database's files belong to the database's user.
    subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True)
    return target

"""Where the embedded server lives."""

import os
from pathlib import Path

import pytest

from memory_project import database

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another")


@pytest.fixture
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installation")
    folder.chmod(0o700)
    return folder


def test_a_folder_closed_to_others_holds_no_database(data: Path):
    found = database.home(data)

    assert not found.is_relative_to(data)


def test_it_differs_from_folder_to_folder(data: Path):
    found = database.home(data / "one")

    assert found != database.home(data / "two")


def test_a_database_stays_where_it_was_made(data: Path):
    (data / "postgres" / "data").mkdir(parents=True)

    found = database.home(data)

    assert found == data / "postgres"

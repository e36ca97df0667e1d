from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memory_project.database import LONGEST_SOCKET_FOLDER, from_url, settings, socket_folder


def test_it_reads_every_part_of_the_address():
    found = from_url("postgresql://al%40ice:p%2Fw@db.example:6543/memory?sslmode=require")

    assert found["USER"] == "al@ice"
    assert found["PASSWORD"] == "p/w"
    assert found["HOST"] == "db.example"
    assert found["PORT"] == 6543
    assert found["NAME"] == "memory"
    assert found["OPTIONS"] == {"sslmode": "require"}


def test_it_takes_the_folder_of_a_socket_as_host():
    found = from_url("postgresql://postgres@/memory?host=/run/postgresql&port=5433")

    assert found["HOST"] == "/run/postgresql"
    assert found["PORT"] == "5433"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://localhost/memory", "postgresql://"),
        ("postgresql://localhost", "name a database"),
        ("postgresql://localhost:port/memory", "DATABASE_URL"),
    ],
)
def test_it_refuses_an_address_it_cannot_use(url: str, says: str):
    with pytest.raises(ImproperlyConfigured, match=says):
        from_url(url)


def test_limits_are_set_when_the_connection_is_made(tmp_path: Path):
    found = settings("", tmp_path, max_age=60, statement_seconds=5)

    options = found["OPTIONS"]
    assert isinstance(options, dict)
    assert "-c statement_timeout=5s" in options["options"]
    assert "-c lock_timeout=2s" in options["options"]


def test_a_long_path_gets_a_short_socket(tmp_path: Path):
    deep = tmp_path / ("deep" * 30)

    folder = socket_folder(deep)

    assert len(str(folder)) <= LONGEST_SOCKET_FOLDER
    assert folder != socket_folder(tmp_path / ("other" * 30))

import os
import sys
from pathlib import Path

import pytest

from memory_project.with_postgres import main

ASK = """
import os, pathlib, psycopg, sys
from memory_project.database import socket_folder
folder = pathlib.Path(os.environ["RECOLLECT_DATA"])
psycopg.connect(host=str(socket_folder(folder)), user="postgres", dbname="recollect").close()
pathlib.Path(sys.argv[1]).write_text(str(folder))
sys.exit(7)
"""


@pytest.fixture
def no_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)


@pytest.mark.usefixtures("no_url")
def test_the_command_finds_a_server_that_is_gone_afterwards(tmp_path: Path):
    note = tmp_path / "note"

    code = main([sys.executable, "-c", ASK, str(note)])

    assert code == 7
    assert not Path(note.read_text()).exists()


def test_a_given_server_is_used_and_none_is_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("DATABASE_URL", "postgresql://localhost/memory")
    note = tmp_path / "note"
    ask = "import os, pathlib, sys; pathlib.Path(sys.argv[1]).write_text(os.environ.get('RECOLLECT_DATA', ''))"

    code = main([sys.executable, "-c", ask, str(note)])

    assert code == 0
    assert note.read_text() == os.environ.get("RECOLLECT_DATA", "")

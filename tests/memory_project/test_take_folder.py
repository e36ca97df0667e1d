"""The folders of the embedded server."""

import os
import stat
from pathlib import Path

import pytest

from memory_project.server_files import ServerAccount, ServerFailed, take_folder


def test_only_its_owner_may_enter(tmp_path: Path):
    take_folder(tmp_path / "home", ServerAccount())

    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_it_closes_what_was_open(tmp_path: Path):
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)

    take_folder(folder, ServerAccount())

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_refuses_a_link_to_another_folder(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ServerFailed, match="someone else"):
        take_folder(tmp_path / "home", ServerAccount())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_it_refuses_a_folder_of_someone_else(tmp_path: Path):
    folder = tmp_path / "home"
    folder.mkdir()
    os.chown(folder, 4242, 4242)

    with pytest.raises(ServerFailed, match="someone else"):
        take_folder(folder, ServerAccount())

"""An archive is looked at as a whole before anything is written; what is not ours is refused."""

import contextlib
import io
import os
import tarfile
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import Organization
from audit.log import record
from consolidation.jobs.heartbeat import beat
from memory_project.backups.archive import opened, writing
from memory_project.backups.errors import (
    BackupDamaged,
    BackupForeign,
    BackupNewer,
    InstallationNotEmpty,
)
from memory_project.backups.restoring import restore
from memory_project.installation import DatabaseUnfit, prepare
from tests.factories import make_session

pytestmark = pytest.mark.django_db
FILE = "workspaces/01a1fc16-b108-7283-92fb-dd5eeee93618/7/MEMORY.md"
ABOUT = {"at": "2026-11-21T00:00:00+00:00", "tables": {}, "chains": "", "unread": []}


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR, settings.WORKSPACE = tmp_path / "data", str(tmp_path / "workspaces")
    settings.DATA_DIR.mkdir()
    return tmp_path


@pytest.fixture
def archive(data):
    return made(data)


def made(data: Path, *, name: str = FILE, migration: str = "audit.0001_initial") -> Path:
    path, source = data / "all.tar", data / "part"
    with path.open("wb") as file, writing(file) as writer:
        for part, content in (("database.dump", b"PGDMP" + os.urandom(3000)), (name, b"Trout.")):
            source.write_bytes(content)
            with source.open("rb") as one:
                writer.add(part, one)
        writer.seal({**ABOUT, "migrations": [migration]})
    source.unlink()
    return path


def look(path: Path, *, is_foreign: bool = False) -> list[str]:
    with opened(path, is_foreign=is_foreign, progress=lambda _: None) as found:
        return found.files


def bring_back(path: Path) -> None:
    nothing = contextlib.nullcontext(lambda _: None)
    restore(path, ledgers=[], is_foreign=False, stage=lambda name, total: nothing)


def test_a_file_cut_short_anywhere_is_refused(archive):
    whole = archive.read_bytes()
    assert look(archive) == [FILE]

    for length in (0, 1, 100, 512, 2000, 4000, 5000, 5700):
        archive.write_bytes(whole[:length])
        with pytest.raises(BackupDamaged):
            look(archive)


def test_a_flipped_byte_is_refused_wherever_something_is_read(archive):
    whole = archive.read_bytes()
    with tarfile.open(archive) as tar:
        parts = [(one.offset_data, one.size) for one in tar]

    for offset, size in parts:
        # In the name, in the content, and at its end.
        for place in (offset - 500, offset + 1, offset + size // 2, offset + size - 1):
            flipped = bytearray(whole)
            flipped[place] ^= 1
            archive.write_bytes(flipped)
            with pytest.raises((BackupDamaged, BackupForeign)):
                look(archive)


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/cron.d/mine",
        "/etc/passwd",
        "workspaces/../secrets.json",
        FILE.replace("MEMORY.md", "../../../../up.json"),
        FILE.replace("/7/", "/bob/"),
        FILE.replace("MEMORY.md", "a\x00b"),
        "notes.md",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_though_it_is_signed(data, name):
    with pytest.raises(BackupDamaged):
        bring_back(made(data, name=name))

    assert sorted(one.name for one in data.rglob("*")) == ["all.tar", "data"]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_what_is_no_file_are_refused(archive, kind):
    about = tarfile.TarInfo(FILE.replace("MEMORY", "OTHER"))
    about.type, about.linkname = kind, "/etc/passwd"
    with tarfile.open(archive, "a") as tar:
        tar.addfile(about)

    with pytest.raises(BackupDamaged):
        look(archive)


@pytest.mark.parametrize("name", [FILE, FILE.replace("MEMORY", "OTHER"), "seal.json"])
def test_a_part_too_many_or_twice_is_refused(archive, name):
    about = tarfile.TarInfo(name)
    about.size = 6
    with tarfile.open(archive, "a") as tar:
        tar.addfile(about, io.BytesIO(b"Trout!"))

    with pytest.raises(BackupDamaged):
        look(archive)


def test_the_archive_of_another_key_is_taken_only_if_one_says_so(archive, settings):
    settings.PSEUDONYM_KEY = "another"

    with pytest.raises(BackupForeign):
        look(archive)
    assert look(archive, is_foreign=True) == [FILE]


def test_the_archive_of_a_later_version_is_refused(data):
    with pytest.raises(BackupNewer, match=r"memory\.9999_later"):
        bring_back(made(data, migration="memory.9999_later"))


def test_where_somebody_is_remembered_nothing_is_overwritten(archive, porter, data):
    make_session(porter)

    with pytest.raises(InstallationNotEmpty):
        bring_back(archive)

    assert Organization.objects.exists()
    assert not (data / "workspaces").exists()


def test_a_folder_with_files_is_not_overwritten(archive, data):
    (data / "workspaces").mkdir()
    (data / "workspaces" / "mine.md").write_text("Mine.")

    with pytest.raises(InstallationNotEmpty, match="there are files"):
        bring_back(archive)


def test_until_a_restore_has_ended_nothing_is_ready(client: Client):
    beat()
    record(actor="command", action="restore.loaded", subject="backup")

    waiting = client.get("/health/ready")
    with pytest.raises(DatabaseUnfit, match="a restore has not ended"):
        prepare()
    record(actor="command", action="restore.done", subject="backup")

    assert waiting.status_code == 503
    assert waiting.json()["checks"]["restore"] is False
    assert client.get("/health/ready").status_code == 200

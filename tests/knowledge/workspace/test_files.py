"""The files of a workspace: what there is, what may be written, and no way out."""

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from accounts.owners import agent_owner, resolve_owner
from knowledge.errors import FileNotWritable, FileTooLong, FileUnknown, WorkspaceUnavailable
from knowledge.workspace import folder as folders
from knowledge.workspace.files import (
    delete_file,
    list_files,
    read_file,
    read_version,
    versions_of,
    write_file,
)
from knowledge.workspace.folder import folder_of
from knowledge.workspace.memory import erase_lines, log_line

ALWAYS = [
    "AGENTS.md",
    "HEARTBEAT.md",
    "MEMORY.md",
    "SOUL.md",
    "USER.md",
    "learnings/corrections.md",
    "learnings/errors.md",
]
AT = datetime(2026, 5, 8, 23, 59, tzinfo=UTC)
HOSTILE = [
    "../SOUL.md",
    "memory/../SOUL.md",
    "memory/../../../etc/passwd",
    "/etc/passwd",
    "soul.md",
    "SOUL.MD",
    "SOUL.md/",
    "./SOUL.md",
    "memory//SOUL.md",
    "SOUL.md\0.txt",
    "..\\SOUL.md",
    ".lock",
    ".versions/SOUL.md/000001.txt",
    "\u2025/SOUL.md",
    "",
]


def names(owner):
    return [file.name for file in list_files(owner)]


@pytest.mark.requirement("OL-23")
@pytest.mark.requirement("OL-24")
def test_the_first_use_makes_exactly_the_listed_files(owner):
    assert names(owner) == ALWAYS
    assert (folder_of(owner) / "memory").is_dir()
    assert read_file(owner=owner, name="MEMORY.md") == "# Memory\n"


@pytest.mark.requirement("OL-24")
def test_what_is_there_already_is_never_overwritten(owner):
    folder = folder_of(owner)
    folder.mkdir(parents=True)
    (folder / "SOUL.md").write_text("I was here first.")

    names(owner)

    assert read_file(owner=owner, name="SOUL.md") == "I was here first."
    (folder / "SOUL.md").write_text("")
    names(owner)
    assert read_file(owner=owner, name="SOUL.md") == ""


@pytest.mark.requirement("OL-23")
def test_each_agent_and_each_of_its_users_has_a_folder_of_their_own(owner, porter, rival):
    own, bob = agent_owner(porter), resolve_owner(agent=porter, user="bob")
    other = resolve_owner(agent=rival, user="alice")
    write_file(owner=owner, name="USER.md", text="alice's")

    assert len({folder_of(one) for one in (owner, own, bob, other)}) == 4
    assert "alice's" not in read_file(owner=bob, name="USER.md")
    assert folder_of(own).parent == folder_of(owner).parent


@pytest.mark.requirement("OL-22")
def test_the_log_of_a_day_is_the_utc_days(owner):
    log_line(owner=owner, text="cat: Whiskerino\nis a # cat", at=AT)
    log_line(owner=owner, text="cat: Whiskerino is a # cat", at=AT)
    name = log_line(owner=owner, text="second", at=datetime(2026, 5, 9, 0, 1, tzinfo=UTC))

    text = read_file(owner=owner, name="memory/2026-05-08.md")
    assert text == "# 2026-05-08\n\n- [23:59] cat: Whiskerino is a # cat\n"
    assert name == "memory/2026-05-09.md"
    assert [one for one in names(owner) if one.startswith("memory/")] == [
        "memory/2026-05-08.md",
        "memory/2026-05-09.md",
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_spelling_of_a_name_leads_anywhere_else(owner, name):
    (folder_of(owner).parent / "SOUL.md").parent.mkdir(parents=True)
    (folder_of(owner).parent / "SOUL.md").write_text("the secret trout")

    for act in (read_file, delete_file, versions_of):
        with pytest.raises(FileUnknown):
            act(owner=owner, name=name)
    with pytest.raises(FileNotWritable):
        write_file(owner=owner, name=name, text="x")
    assert (folder_of(owner).parent / "SOUL.md").read_text() == "the secret trout"


def test_a_link_is_no_file(owner, tmp_path):
    names(owner)
    secret = tmp_path / "secret.md"
    secret.write_text("the secret trout")
    (folder_of(owner) / "link.md").symlink_to(secret)
    (folder_of(owner) / "memory" / "away").symlink_to(tmp_path)

    assert names(owner) == ALWAYS
    with pytest.raises(FileUnknown):
        read_file(owner=owner, name="memory/away/secret.md")


def test_a_link_in_the_place_of_a_file_is_not_followed(owner, tmp_path):
    names(owner)
    secret = tmp_path / "secret.md"
    secret.write_text("the secret trout")
    soul = folder_of(owner) / "SOUL.md"
    soul.unlink()
    soul.symlink_to(secret)

    with pytest.raises(FileUnknown):
        write_file(owner=owner, name="SOUL.md", text="overwritten")
    assert secret.read_text() == "the secret trout"
    with pytest.raises(OSError, match="link"):
        folders.read_text(soul)


def test_a_link_in_the_place_of_a_folder_stops_the_workspace(owner, tmp_path):
    folder_of(owner).mkdir(parents=True)
    (folder_of(owner) / "learnings").symlink_to(tmp_path)

    with pytest.raises(WorkspaceUnavailable, match="link"):
        names(owner)


@pytest.mark.requirement("OL-20")
def test_a_person_may_put_memory_md_right(owner):
    write_file(owner=owner, name="MEMORY.md", text="- **town**: Wien\n")

    assert read_file(owner=owner, name="MEMORY.md") == "- **town**: Wien\n"
    write_file(owner=owner, name="MEMORY.md", text="- **town**: Linz\n")
    # An earlier text would still tell what was forgotten since.
    assert versions_of(owner=owner, name="MEMORY.md") == []


@pytest.mark.parametrize("name", ["learnings/errors.md", "memory/2026-05-08.md"])
def test_what_happens_is_written_by_what_happens_alone(owner, name):
    with pytest.raises(FileNotWritable):
        write_file(owner=owner, name=name, text="x")


def test_a_text_that_is_too_long_or_no_text_is_refused(owner):
    assert write_file(owner=owner, name="SOUL.md", text="x" * 32_000)
    for text in ("x" * 32_001, "a\0b"):
        with pytest.raises(FileTooLong):
            write_file(owner=owner, name="SOUL.md", text=text)


def test_twenty_earlier_texts_are_kept_newest_first(owner):
    for number in range(23):
        write_file(owner=owner, name="SOUL.md", text=f"text {number}")
    assert write_file(owner=owner, name="SOUL.md", text="text 22") is False

    versions = versions_of(owner=owner, name="SOUL.md")

    assert len(versions) == 20
    assert [one.number for one in versions] == list(range(22, 2, -1))
    assert read_version(owner=owner, name="SOUL.md", number=22) == "text 21"
    with pytest.raises(FileUnknown):
        read_version(owner=owner, name="SOUL.md", number=2)
    assert names(owner) == ALWAYS


def test_what_was_never_written_is_no_earlier_text(owner):
    write_file(owner=owner, name="SOUL.md", text="first")

    assert versions_of(owner=owner, name="SOUL.md") == []


def test_a_deletion_takes_the_earlier_texts_along(owner):
    write_file(owner=owner, name="SOUL.md", text="one")
    write_file(owner=owner, name="SOUL.md", text="two")

    delete_file(owner=owner, name="SOUL.md")

    assert "one" not in "".join(
        path.read_text() for path in folder_of(owner).rglob("*") if path.is_file()
    )
    assert "setting `soul` counts" in read_file(owner=owner, name="SOUL.md")


def test_erasing_takes_the_lines_that_hold_all_the_words(owner):
    log_line(owner=owner, text="cat: Whiskerino", at=AT)
    log_line(owner=owner, text="cat: Tom", at=AT)
    write_file(owner=owner, name="USER.md", text="- cat: Whiskerino")

    erase_lines(owner=owner, words=("cat", "Whiskerino"))

    text = read_file(owner=owner, name="memory/2026-05-08.md")
    assert "Whiskerino" not in text
    assert "Tom" in text
    assert "Whiskerino" in read_file(owner=owner, name="USER.md")


@pytest.mark.parametrize(
    ("number", "reason"), [(errno.ENOSPC, "full"), (errno.EROFS, "read-only"), (errno.EIO, "used")]
)
def test_a_disk_that_takes_nothing_is_told_and_leaves_the_text_before(
    owner, monkeypatch, number, reason
):
    write_file(owner=owner, name="SOUL.md", text="before")

    def failing(descriptor):
        raise OSError(number, "no")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(WorkspaceUnavailable, match=reason):
        write_file(owner=owner, name="SOUL.md", text="after")
    monkeypatch.undo()

    assert (folder_of(owner) / "SOUL.md").read_text() == "before"


def test_a_folder_that_cannot_be_made_is_told(owner, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.WORKSPACE = str(tmp_path / "file")

    with pytest.raises(WorkspaceUnavailable):
        names(owner)


def test_without_the_setting_it_lies_in_the_data_folder(owner, settings, tmp_path):
    settings.WORKSPACE, settings.DATA_DIR = "", Path(tmp_path / "data")

    assert folder_of(owner).is_relative_to(tmp_path / "data" / "workspaces")

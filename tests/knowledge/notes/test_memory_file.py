import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from knowledge.errors import EntryExists, EntryUnknown, FileUnfit, FileUnwritten, NameUnfit
from knowledge.notes.entries.operations import (
    Add,
    Alias,
    EntryKind,
    EntryValue,
    Remove,
    Rename,
    Write,
)
from knowledge.notes.files.format import decode, encode
from knowledge.notes.files.memory_file import MemoryFile
from tests.knowledge.notes.test_format import OLD_BYTES

ROOT = Path(__file__).resolve().parents[3]
ADD_MANY = """
import sys
from knowledge.notes.files.memory_file import MemoryFile
from knowledge.notes.entries.operations import Add, Write
memory = MemoryFile(sys.argv[1])
memory.apply(Add(sys.argv[2], ""))
for number in range(25):
    memory.apply(Add(f"{sys.argv[2]} {number}", "trout"))
    memory.apply(Write(sys.argv[2], str(number)))
"""


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "memory.crmem"


@pytest.fixture
def memory(path) -> MemoryFile:
    return MemoryFile(path, clock=lambda: 1_700_000_000)


def test_it_needs_no_django(path):
    code = (
        "import sys; from knowledge.notes.files.memory_file import MemoryFile; "
        "sys.exit('django' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.requirement("CT-01")
@pytest.mark.requirement("CT-25")
def test_every_operation_is_on_the_disk_when_it_returns(memory, path):
    for operation in (
        Add("cat", "eats trout"),
        Rename("cat", "pet"),
        Alias("pet", "Minka"),
        Write("Minka", "eats salmon"),
        Add("trip-1", "They went.", EntryKind.ARCHIVE),
        Remove("trip-1"),
    ):
        memory.apply(operation)
        assert decode(path.read_bytes()) == memory.state

    again = MemoryFile(path)
    assert again.find("Minka") == EntryValue(
        1, "pet", "eats salmon", EntryKind.NOTE, 1_700_000_000, ("cat", "Minka")
    )
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name, path.name + ".lock"]


@pytest.mark.requirement("CT-28")
def test_an_opened_file_is_searched_at_once_by_its_stored_index(memory, path, monkeypatch):
    memory.apply(Add("cat", "eats trout"))
    monkeypatch.setattr("knowledge.notes.entries.state.entry_tokens", None)

    again = MemoryFile(path)

    assert [hit.entry.name for hit in again.search("trout")] == ["cat"]


@pytest.mark.requirement("CT-29")
def test_a_missing_path_is_empty_and_nothing_is_made_before_the_first_change(memory, path):
    assert memory.entries() == []
    assert memory.search("trout") == []
    for operation, refusal in ((Write("cat", ""), EntryUnknown), (Add("a/b", ""), NameUnfit)):
        with pytest.raises(refusal):
            memory.apply(operation)
    assert list(path.parent.iterdir()) == []

    memory.apply(Add("cat", ""))

    assert path.exists()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("CT-04")
def test_ids_are_not_given_again_after_removal_and_reopening(memory, path):
    memory.apply(Add("cat", ""))
    memory.apply(Remove("cat"))

    assert MemoryFile(path).apply(Add("cat", "")).number == 2


@pytest.mark.requirement("CT-12")
@pytest.mark.requirement("CT-44")
def test_an_archive_changes_only_when_it_is_told_to(memory):
    archive = memory.apply(Add("trip-1", "They went.", EntryKind.ARCHIVE))
    memory.apply(Add("cat", "x"))

    assert memory.find("trip-1") == archive
    assert memory.apply(Write("trip-1", "They stayed.")).kind is EntryKind.ARCHIVE


@pytest.mark.requirement("CT-13")
@pytest.mark.requirement("CT-34")
@pytest.mark.requirement("CT-35")
def test_a_search_is_ranked_over_both_kinds_and_cut_by_the_caller_alone(memory):
    memory.apply(Add("one", "trout and very much else besides"))
    memory.apply(Add("two", "trout trout", EntryKind.ARCHIVE))
    memory.apply(Add("three", "salmon"))

    hits = memory.search("trout", limit=100)

    assert [hit.entry.name for hit in hits] == ["two", "one"]
    assert hits[0].score > hits[1].score > 0
    assert memory.search("trout", limit=0) == []
    assert [h.entry.name for h in memory.search("trout", kind=EntryKind.NOTE)] == ["one"]


def test_what_changes_nothing_writes_nothing(memory, path):
    memory.apply(Add("cat", "x"))
    before = path.stat().st_ino

    for operation in (Write("cat", "x"), Alias("cat", "cat"), Rename("cat", "cat")):
        memory.apply(operation)

    assert path.stat().st_ino == before


@pytest.mark.requirement("CT-30")
@pytest.mark.parametrize("data", [b"", b"CRMEM\0", b"hello " * 20, OLD_BYTES[:-1]])
def test_a_file_that_is_none_is_refused_and_left_alone(path, data):
    path.write_bytes(data)

    with pytest.raises(FileUnfit):
        MemoryFile(path)

    assert path.read_bytes() == data


@pytest.mark.requirement("CT-30")
def test_a_failed_load_leaves_what_was_loaded(memory, path):
    memory.apply(Add("cat", "trout"))
    good = path.read_bytes()
    path.write_bytes(good[:-1])

    with pytest.raises(FileUnfit):
        memory.search("trout")
    with pytest.raises(FileUnfit):
        memory.apply(Add("dog", ""))
    path.write_bytes(good)

    assert [hit.entry.name for hit in memory.search("trout")] == ["cat"]


def test_a_file_of_version_1_becomes_one_of_version_2(path):
    path.write_bytes(OLD_BYTES)
    memory = MemoryFile(path)

    assert memory.apply(Add("new", "")).number == 9

    assert path.read_bytes()[6] == 2
    assert MemoryFile(path).find("pet").name == "cat"


def test_the_file_keeps_its_rights_and_a_link_stays_a_link(memory, path, tmp_path):
    memory.apply(Add("cat", ""))
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)

    MemoryFile(link).apply(Add("dog", ""))

    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert len(memory.entries()) == 2


@pytest.mark.requirement("CT-27")
@pytest.mark.parametrize(("call", "place"), [("write", 1), ("fsync", 1), ("fsync", 2)])
def test_a_failed_write_is_told_and_memory_is_what_the_disk_holds(
    memory, path, monkeypatch, call, place
):
    memory.apply(Add("cat", "trout"))
    calls = []

    def fail(*arguments):
        calls.append(arguments)
        if len(calls) == place:
            raise OSError(errno.ENOSPC, "full")
        return real(*arguments)

    real = getattr(os, call)
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(FileUnwritten, match="ENOSPC"):
        memory.apply(Write("cat", "salmon"))
    monkeypatch.undo()

    assert memory.state == decode(path.read_bytes()) == MemoryFile(path).state
    assert memory.apply(Write("cat", "eel")).content == "eel"
    assert not path.with_name(path.name + ".tmp").exists()


def test_a_path_that_cannot_be_one_is_told(tmp_path):
    with pytest.raises(FileUnwritten, match="EISDIR"):
        MemoryFile(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(FileUnwritten, match="ENOTDIR"):
        MemoryFile(tmp_path / "file" / "memory")
    nowhere = MemoryFile(tmp_path / "nowhere" / "memory")
    with pytest.raises(FileUnwritten, match="ENOENT"):
        nowhere.apply(Add("cat", ""))
    assert nowhere.entries() == []


def test_a_file_that_was_removed_is_an_empty_memory(memory, path):
    memory.apply(Add("cat", ""))
    path.unlink()

    assert memory.entries() == []


@pytest.mark.requirement("CT-31")
def test_two_memories_of_one_path_see_each_other_s_changes(memory, path):
    other = MemoryFile(path)
    memory.apply(Add("cat", "trout"))

    with pytest.raises(EntryExists):
        other.apply(Add("cat", ""))
    assert other.apply(Add("dog", "")).number == 2
    assert [hit.entry.name for hit in other.search("trout")] == ["cat"]
    assert memory.find("dog").number == 2


@pytest.mark.requirement("CT-31")
def test_processes_at_once_lose_nothing(path):
    names = ("a", "b", "c")
    started = [
        subprocess.Popen([sys.executable, "-c", ADD_MANY, str(path), f"by {name}"], cwd=ROOT)
        for name in names
    ]

    assert [one.wait(60) for one in started] == [0, 0, 0]

    memory = MemoryFile(path)
    assert sorted(entry.number for entry in memory.entries()) == list(range(1, 79))
    assert {memory.find(f"by {name}").content for name in names} == {"24"}


@pytest.mark.requirement("CT-31")
def test_threads_with_one_memory_lose_nothing(memory):
    def add(worker: int) -> None:
        for number in range(10):
            memory.apply(Add(f"{worker} {number}", ""))

    threads = [threading.Thread(target=add, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(memory.entries()) == 40


def test_replace_puts_all_entries_in_the_place_of_those_there_are(memory, path):
    memory.apply(Add("old", "x"))
    kept = [EntryValue(4, "cat", "trout", EntryKind.NOTE, 7, ("pet",))]

    memory.replace(kept, next_number=9)

    assert MemoryFile(path).entries() == kept
    assert memory.apply(Add("new", "")).number == 9
    assert encode(MemoryFile(path).state) == path.read_bytes()

import io

import pytest
from django.core.management import CommandError, call_command

from accounts.owners import agent_owner, resolve_owner
from audit.models import AuditEntry
from knowledge.models import Entry
from knowledge.notes.entries.operations import Add, Alias, EntryKind, Remove, Write
from knowledge.notes.files.memory_file import MemoryFile
from knowledge.notes.store import apply_operation, find_entry, get_entry, search_entries
from tests.knowledge.notes.test_format import OLD_BYTES


def command(*arguments) -> str:
    out = io.StringIO()
    call_command("memory_file", *map(str, arguments), stdout=out)
    return out.getvalue().strip()


def transfer(act: str, path, *more, user: str = "alice") -> str:
    return command(act, path, "--agent", "porter", "--user", user, *more)


@pytest.fixture
def alice(porter):
    owner = resolve_owner(agent=porter, user="alice")
    for operation in (
        Add("cat", "Minka eats trout."),
        Alias("cat", "pet"),
        Add("trip-1", "They went.", EntryKind.ARCHIVE),
        Add("gone", ""),
        Remove("gone"),
    ):
        apply_operation(owner=owner, operation=operation)
    return owner


@pytest.mark.requirement("CT-24")
@pytest.mark.parametrize("tree", [(), ("--tree",)])
def test_entries_go_to_a_file_and_back(alice, porter, tmp_path, tree):
    path = tmp_path / "memory"

    assert transfer("export", path, *tree) == f"2 entries are in {path}"
    assert transfer("import", path, *tree, user="bob") == "2 added, 0 changed, 0 as they were"

    bob = resolve_owner(agent=porter, user="bob")
    for name in ("cat", "pet", "trip-1"):
        mine, theirs = (get_entry(owner=owner, name=name) for owner in (alice, bob))
        kept = ("name", "content", "kind", "aliases")
        assert all(getattr(mine, field) == getattr(theirs, field) for field in kept)
        assert int(mine.created_at.timestamp()) == int(theirs.created_at.timestamp())


def test_the_exported_file_is_a_memory_of_its_own(alice, tmp_path):
    path = tmp_path / "memory"
    transfer("export", path)
    memory = MemoryFile(path)

    in_file = [(hit.entry.name, hit.score) for hit in memory.search("trout went")]
    in_database = search_entries(owner=alice, query="trout went", limit=5)

    assert [name for name, _ in in_file] == [hit.entry.name for hit in in_database]
    assert [score for _, score in in_file] == pytest.approx([hit.score for hit in in_database])
    assert memory.apply(Add("new", "")).number == 4


def test_both_ways_may_be_gone_again(alice, tmp_path):
    path = tmp_path / "memory"
    transfer("export", path)
    first = path.read_bytes()

    transfer("export", path)
    assert transfer("import", path) == "0 added, 0 changed, 2 as they were"

    assert path.read_bytes() == first
    assert Entry.objects.count() == 2
    MemoryFile(path).apply(Write("cat", "Minka eats salmon."))
    assert transfer("import", path) == "0 added, 1 changed, 1 as they were"
    assert get_entry(owner=alice, name="pet").content == "Minka eats salmon."
    assert AuditEntry.objects.filter(action="note.import").count() == 1


def test_a_file_with_something_else_in_it_is_not_overwritten_unasked(alice, tmp_path):
    path = tmp_path / "memory"
    MemoryFile(path).apply(Add("mine", "x"))

    with pytest.raises(CommandError, match="--replace"):
        transfer("export", path)
    assert MemoryFile(path).find("mine").content == "x"

    transfer("export", path, "--replace")
    assert {entry.name for entry in MemoryFile(path).entries()} == {"cat", "trip-1"}
    path.write_bytes(b"my thesis")
    with pytest.raises(CommandError):
        transfer("export", path, "--replace")
    assert path.read_bytes() == b"my thesis"


@pytest.mark.requirement("CT-12")
def test_an_import_writes_no_archive_anew_and_then_nothing_at_all(alice, tmp_path):
    path = tmp_path / "memory"
    memory = MemoryFile(path)
    memory.apply(Add("new", "x"))
    memory.apply(Add("trip-1", "They stayed.", EntryKind.ARCHIVE))

    with pytest.raises(CommandError, match="archive"):
        transfer("import", path)

    assert find_entry(owner=alice, name="new") is None
    assert get_entry(owner=alice, name="trip-1").content == "They went."


def test_inspect_says_what_a_file_holds(tmp_path):
    path = tmp_path / "memory"
    path.write_bytes(OLD_BYTES)

    old = command("inspect", path)
    MemoryFile(path).apply(Add("new", "trout"))
    new = command("inspect", path)

    assert old.startswith("version 1, ")
    assert "it has no checksum" in old
    assert "1 notes, 1 archives, 1 aliases; next id 9" in old
    assert "1  note  cat  5 bytes  also pet" in old
    assert "checksum and index agree; 4 terms, 5 in all" in new


@pytest.mark.requirement("CT-30")
def test_inspect_says_why_a_file_is_none(tmp_path):
    path = tmp_path / "memory"
    MemoryFile(path).apply(Add("cat", ""))
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(CommandError, match="checksum is another"):
        command("inspect", path)
    with pytest.raises(CommandError, match="there is no file"):
        command("inspect", tmp_path / "nothing")


def test_open_shows_and_changes_a_file(tmp_path, monkeypatch):
    path = tmp_path / "memory"
    monkeypatch.setattr("sys.stdin", io.StringIO("Minka eats trout."))

    assert command("open", path, "add", "cat", "-") == "1  note  cat  17 bytes"
    assert command("open", path, "alias", "cat", "pet").endswith("also pet")
    assert command("open", path, "rename", "pet", "tabby").endswith(
        "tabby  17 bytes  also pet, cat"
    )
    assert command("open", path, "write", "cat", "x trout").startswith("1  note  tabby  7 bytes")
    assert command("open", path, "show", "pet") == "x trout"
    assert command("open", path, "search", "trout").endswith("  tabby")
    assert command("open", path, "list").startswith("1  note  tabby")
    command("open", path, "remove", "cat")
    assert command("open", path, "list") == ""
    with pytest.raises(CommandError, match="no entry"):
        command("open", path, "show", "cat")


def test_it_says_who_is_not_there(porter, tmp_path):
    path = tmp_path / "memory"

    with pytest.raises(CommandError, match="no agent"):
        command("export", path, "--agent", "nobody")
    with pytest.raises(CommandError, match="no such owner"):
        transfer("export", path)
    assert not path.exists()


def test_without_a_user_the_entries_are_the_agent_s_own(porter, tmp_path):
    path = tmp_path / "memory"
    MemoryFile(path).apply(Add("cat", "trout"))

    command("import", path, "--agent", "porter")

    assert get_entry(owner=agent_owner(porter), name="cat").content == "trout"
    command("export", tmp_path / "other", "--agent", "porter")
    assert MemoryFile(tmp_path / "other").find("cat").content == "trout"

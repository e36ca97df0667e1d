import pytest
from hypothesis import given

from knowledge.errors import FileUnfit, FileUnwritten, NameUnfit
from knowledge.notes.entries.operations import EntryKind, EntryValue
from knowledge.notes.files.tree import read_tree, write_tree
from tests.knowledge.notes.memories import OPERATIONS, done

CAT = EntryValue(1, "My cat", "---\nid: 9\n", EntryKind.NOTE, 1_700_000_000, ("pet", "我有猫"))
TRIP = EntryValue(4, "trip-1", "They went.\r\n", EntryKind.ARCHIVE, 1_700_000_001)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "tree"


def test_entries_are_files_under_their_names(folder):
    write_tree(folder, [CAT, TRIP], 9)

    assert (folder / "notes" / "My cat.md").read_bytes().decode() == (
        '---\nid: 1\ncreated_at: 1700000000\naliases: ["pet", "我有猫"]\n---\n---\nid: 9\n'
    )
    assert (folder / "SUMMARY.md").read_text() == (
        "<!-- recollect memory, next id 9 -->\n# Summary\n\n"
        "- [My cat](notes/My%20cat.md)\n- [trip-1](archives/trip-1.md)\n"
    )
    assert read_tree(folder) == ([CAT, TRIP], 9)


@given(OPERATIONS)
def test_what_is_written_is_read(tmp_path_factory, operations):
    state = done(operations)
    folder = tmp_path_factory.mktemp("tree")

    write_tree(folder, list(state.entries.values()), state.next_number)

    assert read_tree(folder) == (list(state.entries.values()), state.next_number)


def test_a_second_export_leaves_nothing_of_the_first(folder):
    write_tree(folder, [CAT, TRIP], 9)

    write_tree(folder, [TRIP], 9)

    assert read_tree(folder) == ([TRIP], 9)


@pytest.mark.requirement("CT-11")
def test_a_name_that_could_be_no_file_s_is_refused_before_anything_is_written(folder):
    bad = EntryValue(2, "../escape", "", EntryKind.NOTE, 1)

    with pytest.raises(NameUnfit):
        write_tree(folder, [CAT, bad], 9)

    assert not folder.exists()


def test_a_folder_of_something_else_is_left_alone(folder):
    folder.mkdir()
    (folder / "thesis.md").write_text("mine")

    with pytest.raises(FileUnfit):
        write_tree(folder, [CAT], 9)

    assert [path.name for path in folder.iterdir()] == ["thesis.md"]


def test_a_name_too_long_for_the_system_is_told(folder):
    with pytest.raises(FileUnwritten, match="too long"):
        write_tree(folder, [EntryValue(1, "猫" * 200, "", EntryKind.NOTE, 1)], 2)


HEAD = "---\nid: 2\ncreated_at: 1\naliases: {}\n---\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("notes/a.md", b"no head"),
        ("notes/a.md", b"\xff"),
        ("notes/a.md", HEAD.format('["pet"]').encode()),
        ("notes/a.md", HEAD.format("[1]").encode()),
        ("notes/a.md", HEAD.format("[x]").encode()),
        ("notes/a.md", HEAD.format('["a/b"]').encode()),
        ("notes/trip-1.md", HEAD.format("[]").encode()),
        ("notes/.a.md", HEAD.format("[]").encode()),
        ("archives/a.md", HEAD.replace("id: 2", "id: 1").format("[]").encode()),
        ("archives/a.md", HEAD.replace("id: 2", "id: 9").format("[]").encode()),
        ("archives/a.md", HEAD.replace("id: 2", "id: 0").format("[]").encode()),
        ("SUMMARY.md", b"# Summary\n"),
    ],
)
def test_a_tree_that_does_not_agree_with_itself_is_refused(folder, file, text):
    write_tree(folder, [CAT, TRIP], 9)
    (folder / file).write_bytes(text)

    with pytest.raises((FileUnfit, NameUnfit)):
        read_tree(folder)


def test_no_folder_is_no_tree(folder):
    with pytest.raises(FileUnfit, match="cannot be read"):
        read_tree(folder)

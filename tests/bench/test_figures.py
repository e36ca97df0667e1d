"""Tables that know their code, on a page and a tree of their own."""

import re
import subprocess
from pathlib import Path

import pytest

from bench.figures import NEVER_LINE, OLDER_LINE, PAGE, Block, Table, blocks, confirm, faults
from bench.measured import FIGURES, OLDER, Figure

MINE = {"speed": Figure("speed", "make speed", ("code/*.py",))}
CODE = '''"""What it is."""


def double(n):
    """Return twice as much."""
    return n * 2  # as asked
'''
TABLE = "| what | ratio |\n|---|---|\n| all | 1.0 |"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "one.py").write_text(CODE)
    prose = f"# Figures\n\nBefore.\n\n{Block('speed', '', NEVER_LINE)}\n\nAfter.\n"
    (tmp_path / PAGE).write_text(prose)
    return tmp_path


@pytest.fixture
def measured(tree: Path) -> Path:
    Table("speed", tree, MINE).write(TABLE)
    return tree


def wrong(tree: Path, older: frozenset[str] = frozenset()) -> str:
    return "\n".join(faults(tree, MINE, older))


def page(tree: Path) -> str:
    return (tree / PAGE).read_text()


def test_a_measured_table_stands_between_its_markers_and_nothing_else_moves(measured):
    (block,) = blocks(page(measured))

    assert block.rows == TABLE
    assert page(measured).startswith("# Figures\n\nBefore.\n\n<!-- figures: speed\n")
    assert page(measured).endswith("<!-- /figures -->\n\nAfter.\n")
    assert wrong(measured) == ""


def test_it_says_where_by_what_and_on_which_code_it_was_measured(measured):
    (block,) = blocks(page(measured))

    assert re.search(r" on \d+ cores at a load of \d+ by `make speed`; code digest `", block.stamp)
    assert "at a commit that is not known" in block.stamp
    assert list(block.files) == ["code/one.py"]


def test_it_says_when_the_code_is_not_that_of_the_commit(tree):
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tree, check=True
        )

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "First.")
    Table("speed", tree, MINE).write(TABLE)
    assert "with uncommitted changes" not in page(tree)

    (tree / "code" / "one.py").write_text(CODE.replace("2", "3"))
    Table("speed", tree, MINE).write(TABLE)
    assert "` with uncommitted changes on " in page(tree)


def test_measured_again_it_replaces_the_table(measured):
    Table("speed", measured, MINE).write(TABLE.replace("1.0", "2.0"))

    assert page(measured).count("<!-- figures: speed") == 1
    assert "1.0" not in page(measured)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  # as asked", ""),
        ("Return twice as much.", "Return the double."),
        ('"""What it is."""', '"""What it was,\n\nand is.\n"""'),
        ("\n\n\ndef", "\n\n\n\n\n# of numbers\ndef"),
    ],
)
def test_words_about_the_code_leave_a_table_as_it_is(measured, before, after):
    assert before in CODE
    (measured / "code" / "one.py").write_text(CODE.replace(before, after))

    assert wrong(measured) == ""


@pytest.mark.parametrize(("before", "after"), [("* 2", "* 3"), ("n * 2", "'# 2'")])
def test_changed_code_makes_a_table_stale_and_is_named(measured, before, after):
    (measured / "code" / "one.py").write_text(CODE.replace(before, after))

    assert "speed: changed since it was measured: code/one.py" in wrong(measured)
    assert "measure it again: make speed" in wrong(measured)


def test_a_text_that_is_no_docstring_counts(measured):
    (measured / "code" / "one.py").write_text(CODE.replace("return", "text = '''a'''\n    return"))

    assert "code/one.py" in wrong(measured)


def test_files_that_come_and_go_make_a_table_stale(measured):
    (measured / "code" / "two.py").write_text("")
    assert "code/two.py" in wrong(measured)

    (measured / "code" / "two.py").unlink()
    (measured / "code" / "one.py").rename(measured / "code" / "three.py")
    assert "code/one.py, code/three.py" in wrong(measured)


def test_code_that_has_moved_away_is_missed(measured):
    (measured / "code" / "one.py").unlink()

    assert "no file matches code/*.py" in wrong(measured)


def test_a_table_is_confirmed_with_a_reason_beside_its_measurement(measured):
    (measured / "code" / "one.py").write_text(CODE.replace("double", "twice"))

    confirm("speed", "a name alone has changed", measured, MINE)

    assert wrong(measured) == ""
    (block,) = blocks(page(measured))
    assert block.stamp.startswith("Measured ")
    assert block.stamp.endswith(": a name alone has changed.")
    assert block.rows == TABLE


def test_what_was_never_measured_cannot_be_confirmed(tree):
    with pytest.raises(SystemExit, match="no measurement to confirm"):
        confirm("speed", "it looks right", tree, MINE)


def test_code_that_changes_while_it_is_measured_leaves_the_table_alone(measured):
    table, before = Table("speed", measured, MINE), page(measured)
    (measured / "code" / "one.py").write_text(CODE.replace("2", "3"))

    with pytest.raises(SystemExit, match="measure it again"):
        table.write(TABLE)

    assert page(measured) == before


def test_an_edited_digest_is_no_stamp(measured):
    text = page(measured)
    (measured / PAGE).write_text(text.replace("code digest `", "code digest `0"))

    assert "speed: it has no stamp of its own" in wrong(measured)


def test_an_older_table_says_so_until_it_is_measured(tree):
    (tree / PAGE).write_text(str(Block("speed", TABLE, OLDER_LINE)))
    assert "it has no stamp of its own" in wrong(tree)
    assert wrong(tree, older=frozenset({"speed"})) == ""

    Table("speed", tree, MINE).write(TABLE)
    assert "take it out of OLDER" in wrong(tree, older=frozenset({"speed"}))


def test_no_table_stands_outside_the_markers_or_under_an_unknown_name(measured):
    (measured / PAGE).write_text(f"{page(measured)}\n{TABLE}\n\n{Block('guess', TABLE, 'So.')}\n")

    assert "a table stands outside the markers" in wrong(measured)
    assert "guess: bench/measured.py does not say what measures it" in wrong(measured)


def test_a_table_without_a_place_is_missed(tree):
    (tree / PAGE).write_text("# Figures\n")

    assert "speed: docs/figures.md has no such table" in wrong(tree)
    with pytest.raises(SystemExit, match="has no place for speed"):
        Table("speed", tree, MINE).write(TABLE)


def test_the_tables_that_are_older_than_their_stamps_only_get_fewer():
    older = "recall recall-states old-passages speed pages pages-before"

    assert {*older.split(), "tokens-tiktoken"} >= OLDER


def test_every_table_names_the_file_that_measures_it():
    for figure in FIGURES.values():
        assert any(pattern.startswith("bench/") for pattern in figure.code)

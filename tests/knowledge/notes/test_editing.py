"""The words are those of the reference backend of Anthropic's SDK (memory_20250818)."""

import pytest

from knowledge.errors import CommandRefused
from knowledge.notes.files.editing import inserted, numbered, replaced


@pytest.mark.parametrize(
    ("view_range", "lines"),
    [
        (None, ["     1\ta", "     2\tb", "     3\t"]),
        ([2, 2], ["     2\tb"]),
        ([2, -1], ["     2\tb", "     3\t"]),
        ([0, 1], ["     1\ta"]),
        ([7, 9], [""]),
    ],
)
def test_lines_are_shown_with_their_numbers(view_range, lines):
    head, *shown = numbered("/memories/a", "a\nb\n", view_range).split("\n")

    assert head == "Here's the content of /memories/a with line numbers:"
    assert shown == lines


def test_more_lines_than_there_are_numbers_are_refused():
    with pytest.raises(CommandRefused, match="exceeds maximum line limit of 999,999 lines"):
        numbered("/memories/a", "\n" * 999_999, None)


def test_one_place_is_replaced_and_shown_with_what_is_around_it():
    text, told = replaced("/memories/a", "1\n2\n3\n4\n5\n6\n7", "4", "four\nfive")

    assert text == "1\n2\n3\nfour\nfive\n5\n6\n7"
    assert told == (
        "The memory file has been edited. Here is the snippet showing the change (with line "
        "numbers):\n     2\t2\n     3\t3\n     4\tfour\n     5\tfive\n     6\t5"
    )


@pytest.mark.parametrize(
    ("old", "why"),
    [
        (
            "z",
            "No replacement was performed, old_str `z` did not appear verbatim in /memories/a.",
        ),
        (
            "b",
            "No replacement was performed. Multiple occurrences of old_str `b` in lines: 1, 3. "
            "Please ensure it is unique",
        ),
    ],
)
def test_what_is_not_there_once_is_not_replaced(old, why):
    with pytest.raises(CommandRefused) as refused:
        replaced("/memories/a", "b\na\nb", old, "x")

    assert str(refused.value) == why


@pytest.mark.parametrize(
    ("content", "line", "text", "expected"),
    [
        ("a\nb\n", 0, "x\n\n", "x\na\nb\n"),
        ("a\nb", 1, "x", "a\nx\nb\n"),
        ("a\r\nb\n", 2, "x", "a\r\nb\nx\n"),
        ("", 0, "x", "x\n"),
    ],
)
def test_a_text_is_put_after_a_line(content, line, text, expected):
    assert inserted("/memories/a", content, line, text) == (
        expected,
        "The file /memories/a has been edited.",
    )


@pytest.mark.parametrize("line", [-1, 3])
def test_a_line_that_there_is_not_is_refused(line):
    with pytest.raises(CommandRefused) as refused:
        inserted("/memories/a", "a\nb\n", line, "x")

    assert str(refused.value) == (
        f"Invalid `insert_line` parameter: {line}. It should be within the range [0, 2]."
    )

"""A summary without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.rules.digest import Digest, digest
from extraction.rules.sentences import sentences
from providers.chat import Line
from ranking.passages import size

GARDEN = [
    Line("ev-1", "user", "The garden gate is broken. Lovely day."),
    Line("ev-2", "assistant", "Which part of the garden gate is broken?"),
    Line("ev-3", "user", "The hinge of the gate is broken."),
    Line("ev-4", "tool", "gate broken gate broken gate broken log line"),
]


def digest_of(lines: list[Line], words: int = 100) -> Digest:
    return digest(sentences(lines), words)


def test_it_quotes_each_speaker_in_the_order_of_the_talk() -> None:
    assert digest_of(GARDEN[:3]) == Digest(
        "User: The garden gate is broken. Lovely day.\n"
        "Assistant: Which part of the garden gate is broken?\n"
        "User: The hinge of the gate is broken.",
        ("ev-1", "ev-2", "ev-3"),
    )


def test_in_little_room_the_sentence_that_shares_most_words_is_left() -> None:
    assert digest_of(GARDEN, 8) == Digest("User: The garden gate is broken.", ("ev-1",))


def test_a_tool_says_less_than_a_person() -> None:
    assert "Tool" not in digest_of(GARDEN, 28).text
    assert "Tool" in digest_of(GARDEN).text


def test_what_is_said_twice_is_quoted_once_as_it_was_first() -> None:
    lines = [Line("ev-1", "user", "Water the roses."), Line("ev-2", "user", "Water the roses.")]

    assert digest_of(lines) == Digest("User: Water the roses.", ("ev-1",))


def test_a_long_sentence_is_cut() -> None:
    (row,) = digest_of([Line("ev-1", "user", "rose " * 500)]).text.splitlines()

    assert row.endswith("rose …")
    assert size(row) <= 45


@pytest.mark.parametrize(
    "lines", [[], [Line("ev-1", "user", " \n")], [Line("ev-1", "system", "Hi")]]
)
def test_nothing_gives_nothing(lines: list[Line]) -> None:
    assert digest_of(lines) == Digest("", ())


@given(st.lists(st.text()), st.integers(1, 60))
def test_it_keeps_within_its_words_whatever_is_said(texts: list[str], words: int) -> None:
    found = digest_of(
        [Line(f"ev-{place}", "user", text) for place, text in enumerate(texts)], words
    )

    assert size(found.text) <= words + 1
    assert "\0" not in found.text

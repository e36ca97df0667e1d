"""Two spaces side by side."""

from pathlib import Path

import pytest
from django.core.management import CommandError

from tests.consolidation.embedding.spaces import NEW, QUESTION, TEXTS, reembed
from tests.factories import make_ended_session


def test_it_compares_the_questions_of_a_file_side_by_side(porter, tmp_path):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)
    file = tmp_path / "questions.txt"
    file.write_text("what did we plant?\n\nwas the train late?\n")

    said = reembed(compare=file, agent="porter", user="alice")

    table = said.splitlines()[1:]
    assert table[0].split() == ["vectors", "hybrid", "old", "ms", "new", "ms", "question"]
    assert table[1].split()[:2] == ["1.00", "1.00"]
    assert table[1].endswith("what did we plant?")
    assert table[-1].endswith("mean of 2 (overlap@10)")


def test_without_a_file_it_compares_what_was_asked_last_and_shows_no_words(porter, api):
    make_ended_session(porter, TEXTS)
    api.post("/api/v1/recall", {"user": "alice", "query": QUESTION}, format="json")
    reembed(**NEW)

    said = reembed(compare=Path())

    assert "receipt " in said
    assert QUESTION not in said


@pytest.mark.parametrize(
    ("name", "sentence"), [("none", "cannot be read"), ("bob", "knows no user")]
)
def test_questions_that_cannot_be_asked_are_one_sentence(porter, tmp_path, name, sentence):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)
    user = "alice" if name == "none" else name

    with pytest.raises(CommandError, match=sentence):
        reembed(compare=tmp_path / "none", agent="porter", user=user)

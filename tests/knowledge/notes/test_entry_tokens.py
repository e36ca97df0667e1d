import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.notes.entries.tokens import STOP_WORDS, entry_tokens, tokens


@pytest.mark.requirement("CT-36")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat and a dog", ["cat", "dog"]),
        ("snake_case don't x", ["snake", "case", "don"]),
        ("Café ÜBER", ["café", "über"]),
        ("Cafe\u0301", ["café"]),
        ("我有猫 猫", ["我有猫"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("🐈 v2.0 x1", ["v2", "x1"]),
        ("ÇA va?ça-va", ["ça", "va", "ça", "va"]),
        ("", []),
        ("y" * 300, ["y" * 200]),
    ],
)
def test_a_text_is_its_words(text, expected):
    assert tokens(text) == expected


@pytest.mark.requirement("CT-36")
def test_there_are_about_fifty_stop_words():
    assert 45 <= len(STOP_WORDS) <= 65
    assert tokens(" ".join(STOP_WORDS)) == []


def test_name_and_content_do_not_run_together():
    assert entry_tokens("cat", "nap") == ["cat", "nap"]


@given(st.text())
def test_no_text_breaks_it(text):
    for token in tokens(text):
        assert 2 <= len(token) <= 200
        assert token not in STOP_WORDS
        assert token == token.lower()

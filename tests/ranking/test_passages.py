from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ranking.passages import MOST_BYTES, header, passages, sentences, size


def test_a_short_text_stays_whole():
    assert passages("  One sentence. Another. ") == ["One sentence. Another."]


def test_a_long_text_is_cut_at_the_ends_of_sentences():
    text = " ".join(f"Sentence number {number} has exactly eight words." for number in range(60))

    found = passages(text)

    assert len(found) > 3
    assert all(passage.endswith("words.") for passage in found)
    assert all(size(passage) <= 120 for passage in found)


def test_dense_text_is_cut_by_its_characters():
    assert max(len(passage) for passage in passages("猫" * 2_000)) <= 240


def test_a_giant_word_is_cut():
    assert len(passages("x" * 100_000)) > 10


@given(st.text())
def test_no_word_is_lost_and_no_passage_too_large(text):
    found = passages(text)

    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(passage.encode(errors="replace")) <= MOST_BYTES for passage in found)


def test_the_header_says_when_and_who():
    when = datetime(2023, 5, 8, tzinfo=UTC)

    assert header(when, "Alice") == "[8 May 2023] Alice: "
    assert header(None, "") == ""


def test_no_sentence_ends_at_a_title_or_at_the_day_of_a_date():
    text = "Sie spielt am 29. April bei Dr. Weber. Er kam 1990. Dann ging er."

    assert sentences(text) == [
        "Sie spielt am 29. April bei Dr. Weber.",
        "Er kam 1990.",
        "Dann ging er.",
    ]

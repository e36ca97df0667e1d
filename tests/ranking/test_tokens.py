import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.tokens import index_terms, meaningful, query_terms, term_id, tokens


@pytest.mark.requirement("OC-80")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我有猫", ["我", "有", "猫"]),
        ("У меня кот", ["у", "меня", "кот"]),
        ("Café Über", ["café", "über"]),
        ("ネコがいる", ["ネ", "コ", "が", "い", "る"]),
        ("ＦＵＬＬ ﬁt", ["full", "fit"]),
        ("snake_case don't", ["snake", "case", "don't"]),
    ],
)
def test_every_script_gives_tokens(text, expected):
    assert tokens(text) == expected


def test_meaningful_tokens_leave_out_stop_words_and_single_letters():
    assert meaningful("The cat and x 猫") == ["cat", "猫"]


def test_terms_are_stems_without_stop_words():
    assert index_terms("The gardens were watered", "english") == ["garden", "water"]


def test_ordinals_and_possessives_are_folded():
    assert index_terms("Mira's 8th birthday", "english") == ["mira", "8", "birthday"]


def test_dense_scripts_give_characters_and_pairs():
    assert index_terms("我有猫", "english") == ["我", "有", "猫", "我有", "有猫"]


def test_a_question_is_stemmed_in_the_language_it_looks_like_as_well():
    german = "Was ist denn mit den Katzen und der Forelle passiert?"

    assert set(query_terms(german, "english")) > set(index_terms(german, "german"))


def test_a_word_without_end_is_cut():
    assert len(tokens("a" * 10_000)[0]) == 64


@given(st.text())
def test_no_text_breaks_it(text):
    assert all(-(2**31) <= term_id(term) < 2**31 for term in index_terms(text, "english"))


def test_a_term_keeps_its_number():
    assert term_id("garden") == term_id("garden") != term_id("gardens")
    assert isinstance(term_id("\ud800"), int)

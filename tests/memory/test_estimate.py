from hypothesis import given
from hypothesis import strategies as st

from memory.budget import estimate, estimate_message


def test_english_counts_a_token_for_four_characters():
    assert estimate("a" * 400) == 100


def test_dense_scripts_count_a_token_a_character():
    assert estimate("我家有一只猫") == 6


def test_a_message_costs_more_than_its_words():
    assert estimate_message("") > estimate("") == 0


@given(st.text(), st.text())
def test_more_text_never_costs_less(first, second):
    assert estimate(first + second) >= estimate(first)

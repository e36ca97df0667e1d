import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.budget import CLASSES, estimate, estimate_message


@pytest.mark.parametrize(
    ("text", "real"),
    [
        # As o200k_base counts them.
        ("My cat is called Schrödinger and she only eats trout. " * 4, 53),
        ("我家有一只猫,它只吃鱼。" * 4, 45),
        ("У меня живёт рыжий кот, и ест он только форель. " * 4, 69),
        ("うちの猫は魚しか食べません。" * 4, 44),
        ("우리 고양이는 생선만 먹어요. " * 4, 41),
    ],
)
def test_every_script_is_near_what_a_tokenizer_counts(text, real):
    assert estimate(text) == pytest.approx(real, rel=0.25)


def test_every_byte_of_utf_8_is_weighed():
    assert {byte for members, _ in CLASSES for byte in members} == set(range(256))


def test_a_message_costs_more_than_its_words():
    assert estimate_message("") > estimate("") == 0


@given(st.text(), st.text())
def test_more_text_never_costs_less(first, second):
    assert estimate(first + second) >= estimate(first)


@given(st.text(min_size=1))
def test_no_text_is_free(text):
    assert estimate(text) > 0

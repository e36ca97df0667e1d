"""Whether a turn says anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.learning.gate.small_talk import SMALL_TALK_CHARACTERS, is_small_talk

CHATTER = [
    "Hi there!",
    "How are you?",
    "thanks, that's great",
    "ok",
    "👍",
    "",
    "Test, test, 1 2 3",
    "/compact",
    "Guten Morgen, wie geht's dir?",
    "¡Hola! ¿Qué tal?",
    "Merci beaucoup",
    "Привет, как дела?",
    "你好，谢谢！",
    "ありがとうございます",
    "안녕하세요",
]
SAID = [
    "My cat eats trout.",
    "I'm sad.",
    "Ich bin Lehrerin.",
    "我的猫只吃鳟鱼",
    "У меня есть кот.",
    "ok ok ok ok ok ok ok ok ok ok ok ok ok ok ok",
]


@pytest.mark.requirement("OC-42")
@pytest.mark.parametrize("text", CHATTER)
def test_greetings_thanks_and_tests_are_small_talk(text):
    assert is_small_talk(text)


@pytest.mark.parametrize("text", SAID)
def test_what_says_something_or_goes_on_is_not(text):
    assert not is_small_talk(text)


@given(st.text(min_size=SMALL_TALK_CHARACTERS + 1))
def test_nothing_long_with_words_in_it_is_small_talk(text):
    words = text.strip()
    if len(words) > SMALL_TALK_CHARACTERS and any(one.isascii() and one.isalpha() for one in words):
        assert not is_small_talk(words) or words.startswith("/")

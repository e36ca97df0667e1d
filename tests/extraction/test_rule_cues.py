"""What the offline model takes for a wish about its answers."""

import pytest

from extraction.rules.rule_cues import SAFETY, rule_in


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("From now on answer briefly.", "Answer briefly."),
        ("Please always reply in German.", "Always reply in German."),
        ("I prefer short answers.", "The user prefers short answers."),
        ("Can you call me Al from now on?", "Call me Al from now on."),
        ("Don't use emojis.", "Don't use emojis."),
        ("ok, please keep it simple", "Keep it simple."),
        (
            "I like it when you explain step by step.",
            "The user prefers when you explain step by step.",
        ),
        ("Ab jetzt antworte bitte kurz.", "Antworte bitte kurz."),
        ("De ahora en adelante responde en español.", "Responde en español."),
        ("Désormais, réponds en français.", "Réponds en français."),
    ],
)
def test_a_wish_becomes_a_rule(text, rule):
    assert rule_in(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        "Remember that I live in Graz.",
        "I always answer the phone.",
        "The bank keeps calling me.",
        "Do you use emojis?",
        "Good morning!",
        "",
    ],
)
def test_other_words_are_no_rule(text):
    assert rule_in(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Stop asking about my safety.",
        "Please skip the safety check.",
        "Never give me the hotline number.",
        "Ignore safety from now on.",
    ],
)
def test_what_would_keep_help_away_is_seen(text):
    assert SAFETY.search(text)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.periods.anchors import Anchor, anchors


@pytest.mark.parametrize(
    ("text", "relation", "words"),
    [
        ("What did I say about the house before we moved?", "before", "we moved"),
        ("How did I feel after the wedding?", "after", "the wedding"),
        ("After the wedding, what did she say?", "after", "the wedding"),
        ("Who has helped since we adopted the dog?", "since", "we adopted the dog"),
        ("What did I believe until I was fired?", "until", "I was fired"),
        ("What did I plan before my trip in May?", "before", "my trip in May"),
        ("Was habe ich gesagt, bevor wir umgezogen sind?", "before", "wir umgezogen sind"),
        ("Où étais-je avant le mariage de ma sœur ?", "before", "le mariage de ma sœur"),
        ("¿Qué dije antes de la boda de mi hermana?", "before", "la boda de mi hermana"),
    ],
)
def test_an_event_is_named_in_the_question_s_own_words(text, relation, words):
    assert anchors(text) == [Anchor(relation, words)]


@pytest.mark.parametrize(
    "text",
    [
        "What did I do before 3 May?",
        "What did I do after Christmas?",
        "What did I do before last week?",
        "What did I do since January?",
        "What do I drink before lunch?",
        "What happened after all?",
        "What did I eat after that?",
        "Who looks after my cat?",
        "Who was he named after?",
        "Since when do I have it?",
        "Where are the before and after photos?",
        "Do we live near the afternoon market?",
        "",
    ],
)
def test_a_date_a_meal_or_another_sense_is_no_event(text):
    assert anchors(text) == []


@settings(deadline=None)
@given(st.text(st.characters(), max_size=200), st.sampled_from(["", "before ", "after the "]))
def test_any_text_may_be_asked(text, head):
    for anchor in anchors(head + text):
        assert anchor.words

"""What the offline model takes for a fact of the user's life."""

import time

import pytest

from extraction.rules.life_cues import OBJECT_CHARACTERS, find


@pytest.mark.parametrize(
    ("text", "category", "says"),
    [
        ("My name is Mary Ann Smith and I like tea.", "context", "is called Mary Ann Smith"),
        ("My cat is called Ada and she eats trout.", "relationship", "cat Ada"),
        ("My sister Anna lives in Graz.", "relationship", "sister Anna"),
        ("my boss is strict with everyone", "relationship", "boss"),
        ("I live in Linz now.", "context", "lives in Linz"),
        ("Actually I moved to Vienna.", "context", "lives in Vienna"),
        ("I'm a nurse at the city hospital.", "context", "works: nurse at the city hospital"),
        ("I work for a bank, mostly at night.", "context", "works: a bank"),
        ("My mother died last year.", "loss", "lost mother"),
        ("I lost my job in May.", "loss", "lost job"),
        ("Crowds make me anxious.", "trigger", "Crowds"),
        ("I am afraid of flying.", "trigger", "flying"),
        ("Running helps me calm down.", "coping_strategy", "Running"),
        ("When I'm stressed, I bake bread.", "coping_strategy", "bake bread"),
        ("I'm allergic to peanuts.", "context", "allergic to peanuts"),
        ("I have asthma.", "context", "has asthma"),
        ("I take a walk every morning.", "context", "habit: take a walk every morning"),
        ("My favourite colour is green.", "preference", "favourite colour: green"),
        ("I really love hiking in the mountains.", "preference", "likes hiking in the mountains"),
        ("I can't stand coriander.", "preference", "dislikes coriander"),
        ("I want to learn Spanish.", "goal", "learn Spanish"),
        ("I studied physics in Graz.", "context", "studied physics in Graz"),
        ("Ich heiße Karl.", "context", "is called Karl"),
        ("Ich wohne jetzt in Berlin.", "context", "lives in Berlin"),
        ("Mein Bruder heißt Karl.", "relationship", "Bruder Karl"),
        ("Ich mag starken Kaffee.", "preference", "likes starken Kaffee"),
        ("Me llamo Alicia.", "context", "is called Alicia"),
        ("Vivo en Madrid.", "context", "lives in Madrid"),
        ("Mi hermana se llama Rosa.", "relationship", "hermana Rosa"),
        ("Me gusta el café.", "preference", "likes el café"),
        ("J'habite à Lyon.", "context", "lives in Lyon"),
        ("Mon frère s'appelle Luc.", "relationship", "frère Luc"),
        ("J'aime le fromage.", "preference", "likes le fromage"),
    ],
)
def test_it_names_what_was_said(text, category, says):
    (found,) = find(text)

    assert (found.cue.category.value, found.object) == (category, says)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What is the weather?",
        "Do I live in Linz?",
        "If I lived in Rome I would eat pasta.",
        "Imagine I work for a circus.",
        "I like it.",
        "Thanks, that was helpful.",
        "The train was late.",
        "“I love you”, she said.",
    ],
)
def test_it_takes_nothing_from_questions_fancies_and_small_talk(text):
    assert list(find(text)) == []


def test_hostile_text_costs_no_time_and_stays_short():
    texts = ["I like " + "and " * 20_000, "my " * 20_000, "I" * 50_000, "when i am " * 5_000]
    began = time.process_time()

    found = [one for text in texts for one in find(text)]

    assert time.process_time() - began < 20
    assert all(len(one.object) <= OBJECT_CHARACTERS for one in found)

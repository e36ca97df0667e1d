"""What is taken for a fact by its wording."""

import pytest

from extraction.rules.cues import facts
from extraction.rules.sentences import sentences
from providers.answers import MOST_FACTS, FactKind, FoundFact
from providers.chat import Line
from tests.providers.tasks import user_said


def found_in(*texts: str) -> list[FoundFact]:
    return facts(sentences(user_said(*texts)))


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("My cat is called Miso.", FactKind.FACT),
        ("Please call me Al.", FactKind.FACT),
        ("I work as a nurse.", FactKind.FACT),
        ("I’m allergic to peanuts.", FactKind.FACT),
        ("I have two dogs.", FactKind.FACT),
        ("Remember that the gate sticks.", FactKind.FACT),
        ("Ich wohne in Köln.", FactKind.FACT),
        ("Je m'appelle Alice.", FactKind.FACT),
        ("меня зовут Алиса", FactKind.FACT),
        ("我叫李明,我住在北京。", FactKind.FACT),
        ("I really like jazz.", FactKind.PREFERENCE),
        ("i don't like coriander", FactKind.PREFERENCE),
        ("My favourite colour is green.", FactKind.PREFERENCE),
        ("Me gusta el café.", FactKind.PREFERENCE),
        ("We decided to use PostgreSQL.", FactKind.DECISION),
        ("Let's go with Django.", FactKind.DECISION),
        ("Our deploy runs on Fridays.", FactKind.CONTEXT),
        ("The rent is 900 a month.", FactKind.CONTEXT),
    ],
)
def test_a_cue_gives_the_whole_sentence_its_category(text: str, category: FactKind) -> None:
    (fact,) = found_in(text)

    assert (fact.value, fact.category, fact.source_event) == (text, category, "ev-0")


@pytest.mark.parametrize(
    "text",
    [
        "ok thanks",
        "that sounds good",
        "Where do I live?",
        "我住在哪里？",
        "I would like you to be brief.",
        "...",
        "I am.",
    ],
)
def test_questions_requests_and_small_talk_are_no_facts(text: str) -> None:
    assert found_in(text) == []


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_what_the_user_said_is_a_fact(role: str) -> None:
    assert facts(sentences([Line("ev-0", role, "My cat is called Miso.")])) == []


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("My name is Alice.", "My name is Bob.", "name"),
        ("My favourite colour is blue.", "My favourite colour is red.", "favourite colour"),
        ("My cat's name is Miso.", "My cat’s name is Tofu.", "cat's name"),
        ("I live in Lyon.", "I live in Porto now.", "live"),
        ("We use tabs: 4 wide.", "we use TABS, 4 wide", "use tabs wide"),
    ],
)
def test_the_latest_takes_the_place_of_what_it_contradicts(
    before: str, after: str, key: str
) -> None:
    (fact,) = found_in(before, after)

    assert (fact.key, fact.value, fact.source_event) == (key, after, "ev-1")


def test_different_facts_stand_side_by_side_in_their_order() -> None:
    found = found_in("I love hiking. I have a dog.", "My sister is a nurse. My sister is 30.")

    assert [fact.source_event for fact in found] == ["ev-0", "ev-0", "ev-1", "ev-1"]
    assert len({fact.key for fact in found}) == 4


def test_of_too_many_those_with_a_cue_are_kept() -> None:
    details = [f"Room number{place} has 3 windows." for place in range(MOST_FACTS)]

    found = found_in(*details, "I love hiking.")

    assert len(found) == MOST_FACTS
    assert found[-1].value == "I love hiking."


def test_an_endless_sentence_is_cut() -> None:
    (fact,) = found_in("I love " + "a" * 500 + " and more" * 300)

    assert fact.value.endswith(" …")
    assert len(fact.value.split()) <= 110
    assert len(fact.key) <= 200

import pytest

from consolidation.quality.repeated_questions import is_known, questions, stems
from consolidation.quality.used import used_count

KNOWN = [stems("lives in Porto", "english"), stems("cat Schrödinger eats trout", "english")]


def test_it_finds_the_questions_among_the_sentences():
    text = "I see. Where do you live? Lovely! What does your cat eat?"

    assert questions(text) == ["Where do you live?", "What does your cat eat?"]


@pytest.mark.requirement("TS-92")
@pytest.mark.parametrize("question", ["Where do you live?", "And what does your cat eat?"])
def test_a_question_whose_answer_is_kept_is_one_too_many(question):
    assert is_known(question, KNOWN, "english")


@pytest.mark.requirement("TS-92")
@pytest.mark.parametrize("question", ["Where does your sister live?", "How are you?", "Shall I?"])
def test_a_question_about_something_else_is_none(question):
    assert not is_known(question, KNOWN, "english")


@pytest.mark.requirement("TS-88")
def test_a_fact_is_used_when_the_answer_has_what_it_adds_to_the_question():
    facts = ["Her cat eats trout", "She lives in Porto"]

    assert used_count(facts, "Buy some milk.", "What shall I buy my cat?", "english") == 0
    assert used_count(facts, "Trout is what it eats.", "What about my cat?", "english") == 1
    assert used_count(facts, "In Porto she eats trout.", "Where?", "english") == 2


def test_what_the_question_said_itself_is_no_use_of_memory():
    assert used_count(["eats trout"], "It eats trout.", "Does it eat trout?", "english") == 0

import pytest

from knowledge.sensitivity import is_sensitive, sensitive_kind

KINDS = {
    "I was diagnosed with epilepsy in March.": "health",
    "Meine Schwester ist schwanger.": "health",
    "I came out to my parents last year.": "sexuality",
    "We are Catholic and go to mass.": "belief",
    "I voted for the Greens.": "politics",
    "My cousin asked for asylum.": "origin",
    "He spent two years in prison.": "crime",
    "I am in debt and cannot sleep.": "money",
}
HARMLESS = (
    "My cat is called Schrödinger and she only eats trout.",
    "I prefer short answers.",
    "The default project is PORT.",
    "I work as a baker in Porto.",
    "Ich wohne in Hamburg.",
)


@pytest.mark.parametrize(("text", "kind"), KINDS.items())
def test_it_names_the_kind(text, kind):
    assert sensitive_kind(text) == kind


@pytest.mark.parametrize("text", HARMLESS)
def test_it_leaves_the_rest(text):
    assert not is_sensitive(text)


def test_width_and_case_do_not_hide_it():
    assert is_sensitive("DIAGNOSED with asthma")

import pytest

from ranking.languages import detect, stem


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat is on the table and it was not happy about that.", "english"),
        ("Die Katze ist auf dem Tisch und sie war nicht glücklich darüber.", "german"),
        ("El gato no está sobre la mesa porque es muy grande para ella.", "spanish"),
        ("У меня живёт рыжий кот", "russian"),
        ("قطتي تأكل السمك", "arabic"),
        ("Η γάτα μου τρώει ψάρι", "greek"),
        ("", "english"),
        ("cat cat cat cat", "english"),
    ],
)
def test_it_names_the_language(text, language):
    assert detect(text) == language


def test_a_language_without_stems_keeps_its_words():
    assert stem("kucing", "klingon") == "kucing"

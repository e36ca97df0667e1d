import pytest

from crisis.reasons import in_our_words


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("", ""),
        ("Imminent RISK", "imminent risk"),
        ("llm_primary", "llm primary"),
        ("she said she bought pills", "…"),
        ("explicit: “je veux partir” (plan)", "explicit … plan"),
        ("計画がある risk", "… risk"),
    ],
)
def test_only_words_of_the_vocabulary_are_kept(said, kept):
    assert in_our_words(said, 500) == kept


def test_it_is_cut_at_the_length():
    assert in_our_words("risk " * 200, 500) == ("risk " * 200)[:500]

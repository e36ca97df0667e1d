import pytest

from ranking.similarity import cosine, jaccard, token_recall


@pytest.mark.parametrize(("b", "expected"), [("a b c", 1.0), ("a b", 2 / 3), ("x", 0.0), ("", 0.0)])
def test_jaccard_is_the_shared_part(b, expected):
    assert jaccard(["a", "b", "c"], b.split()) == pytest.approx(expected)


def test_nothing_shares_nothing():
    assert jaccard([], []) == token_recall([], ["a"]) == 0.0


def test_token_recall_is_the_share_of_the_query():
    assert token_recall(["a", "b", "c"], ["a", "z"]) == pytest.approx(1 / 3)


def test_cosine_knows_direction_and_not_length():
    assert cosine([1, 0], [5, 0]) == pytest.approx(1.0)
    assert cosine([1, 0], [0, 0]) == 0.0

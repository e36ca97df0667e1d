import pytest

from ranking.fusion import reciprocal_rank_fusion


def test_ranks_are_added_and_scores_are_not():
    fused = reciprocal_rank_fusion([["a", "b"], ["b", "c"]])

    assert [item for item, _ in fused] == ["b", "a", "c"]
    assert dict(fused)["b"] == pytest.approx(1 / 62 + 1 / 61)


def test_ties_keep_the_order_of_first_appearance():
    assert [item for item, _ in reciprocal_rank_fusion([["a"], ["b"]])] == ["a", "b"]

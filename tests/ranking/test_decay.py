import math

import pytest

from ranking.decay import blended, boost, decayed, normalised, reinforced, vector_score


@pytest.mark.requirement("OL-35")
def test_a_boost_grows_with_accesses_and_fades_with_the_days_since():
    assert boost(0, 0) == 1
    assert boost(10, 5) == pytest.approx(1 + math.log(11) * 0.75)
    assert boost(10, 20) == boost(10, 400) == pytest.approx(1 + math.log(11) * 0.1)


@pytest.mark.requirement("OL-35")
def test_a_reinforced_score_is_at_most_ten():
    assert reinforced(1_000_000, 0) == 10
    assert reinforced(3, 0) == boost(3, 0)


@pytest.mark.requirement("OL-36")
def test_a_step_of_decay_takes_a_twentieth_down_to_a_floor():
    assert decayed(1.0) == pytest.approx(0.95)
    assert decayed(0.0101) == 0.01
    assert decayed(0.01) == 0.01


@pytest.mark.requirement("OL-34")
def test_a_score_is_seven_parts_meaning_and_three_parts_words_times_decay():
    assert blended(0.5, 1.0, 1.2) == pytest.approx((0.7 * 0.5 + 0.3 * 1.0) * 1.2)
    assert blended(0.0, 1.0, 1.0) == pytest.approx(0.3)


@pytest.mark.requirement("OL-34")
@pytest.mark.requirement("OL-36")
@pytest.mark.requirement("OL-46")
def test_an_exact_answer_nobody_asked_for_is_before_what_is_fresh_and_unrelated():
    exact = blended(vector_score(0.25), 1.0, 0.01)
    unrelated = blended(vector_score(1.0), 0.0, 10.0)

    assert exact > unrelated


def test_a_nearer_vector_scores_more():
    assert vector_score(0) == 1
    assert vector_score(1) == 0.5


def test_ranks_are_stretched_over_nought_to_one():
    assert normalised([2.0, 4.0, 3.0]) == [0.0, 1.0, 0.5]
    assert normalised([0.2]) == [1.0]
    assert normalised([0.2, 0.2]) == [1.0, 1.0]
    assert normalised([]) == []

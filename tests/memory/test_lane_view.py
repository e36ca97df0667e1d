import pytest
from hypothesis import given

from memory.windows import total
from tests.memory.lanes import injected, job, lane, lanes, model, result, seqs, user


def foldable(view) -> list[list[int]]:
    return seqs([group for group in view.groups if view.may_fold(group)])


@pytest.mark.requirement("CH-18")
@pytest.mark.requirement("CH-21")
@pytest.mark.requirement("CH-22")
def test_what_may_be_folded_is_what_was_said_before_the_latest_words():
    view = lane(user(1), model(2, "a"), result(3, "a"), injected(4), job(5), user(6), model(7))

    assert foldable(view) == [[1], [2, 3], [7]]


def test_an_open_call_may_not_be_folded_until_the_user_has_spoken_again():
    assert foldable(lane(user(1), model(2, "a"))) == []
    assert foldable(lane(user(1), model(2, "a"), user(3))) == [[1], [2]]


def test_without_a_user_an_open_call_stays():
    assert foldable(lane(model(1, "a"), model(2))) == [[2]]
    assert lane(model(1)).latest_user is None


def test_usage_counts_all_of_the_prompt_in_real_tokens():
    view = lane(user(1, tokens=100), model(2, tokens=200), fixed=100, limit=1_000, calibration=1.5)

    assert view.usage == pytest.approx(0.6)


def test_the_room_is_what_all_that_stays_leaves():
    view = lane(user(1, tokens=100), user(2, tokens=50), fixed=30, limit=1_000, calibration=2.0)

    assert view.compactable == 100
    assert view.room == pytest.approx(500 - 30 - 50)


def test_there_is_never_less_than_no_room():
    assert lane(user(1), fixed=2_000).room == 0


@given(lanes())
def test_no_running_job_no_instruction_and_never_the_latest_words_may_be_folded(view):
    foldable = {one for group in view.groups if view.may_fold(group) for one in group}

    running = [one for one in view.shown if one.type == "CoreJobStart"][-1:]
    assert "InjectedInstruction" not in {one.type for one in foldable}
    assert not foldable & {*running}
    assert view.latest_user not in foldable
    assert view.compactable == total(foldable)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.windows import COMPACTABLE, INJECTED, JOB, before_tail, fold, oldest, total
from tests.memory.lanes import injected, job, lane, lanes, model, result, seqs, user


def everything(view):
    return [group for group in view.groups if view.may_fold(group)]


def test_nothing_to_fold_is_no_fold():
    assert fold(lane(user(1)), []) is None


@pytest.mark.requirement("CH-40")
def test_the_oldest_go_first_and_only_as_many_as_needed():
    view = lane(user(1), model(2, "a"), result(3, "a"), user(4), model(5), user(6))

    taken = oldest(view, lambda left: sum(map(total, left)) <= 30)

    assert seqs(taken) == [[1], [2, 3]]
    assert oldest(view, lambda left: True) == []


def test_the_oldest_pass_over_what_stays():
    view = lane(job(1), user(2), model(3), user(4))

    assert seqs(oldest(view, lambda left: False)) == [[2], [3]]


def test_the_tail_keeps_its_groups_whole():
    view = lane(user(1), model(2, "a"), user(3), result(4, "a"), model(5), user(6))

    assert seqs(before_tail(view, messages=3)) == [[1], [3]]
    assert seqs(before_tail(view, messages=0)) == [[1], [2, 4], [3], [5]]


@pytest.mark.requirement("CH-32")
def test_the_briefing_of_a_job_that_has_ended_folds_with_its_work():
    view = lane(job(1), model(2), job(3), model(4), user(5))

    assert seqs(before_tail(view, messages=0)) == [[1], [2], [4]]


def test_what_stays_before_the_new_start_is_kept_by_number():
    view = lane(user(1), job(2), model(3), user(4), model(5))

    plan = fold(view, everything(view)[:2])

    assert (plan.folded, plan.start_seq, plan.kept) == ([1, 3], 4, [2])


def test_the_start_never_goes_back():
    view = lane(user(2), user(7), user(8), start_seq=6)

    assert fold(view, view.groups[:1]).start_seq == 6


@pytest.mark.requirement("CH-18")
def test_an_instruction_goes_when_what_is_on_both_sides_goes():
    view = lane(user(1), injected(2), model(3), injected(4), user(5))

    plan = fold(view, everything(view))

    assert (plan.folded, plan.kept) == ([1, 2, 3], [])


def test_an_instruction_at_the_beginning_stays():
    view = lane(injected(1), user(2), user(3))

    plan = fold(view, everything(view))

    assert (plan.folded, plan.kept) == ([2], [1])


def test_an_instruction_after_an_earlier_fold_goes():
    view = lane(injected(4), user(5), user(6), start_seq=4)

    assert fold(view, everything(view)).folded == [4, 5]


@given(lanes(), st.integers(0, 400), st.integers(0, 6), st.booleans())
def test_a_plan_takes_whole_groups_and_nothing_protected(view, most, tail, by_size):
    groups = (
        oldest(view, lambda left: sum(map(total, left)) <= most)
        if by_size
        else before_tail(view, messages=tail)
    )
    plan = fold(view, groups)
    if plan is None:
        assert groups == []
        return

    folded = set(plan.folded)
    for group in view.groups:
        members = {one.seq for one in group}
        assert members <= folded or not members & folded
    gone = [one for one in view.shown if one.seq in folded]
    running = [one for one in view.shown if one.type == JOB][-1:]
    assert {one.type for one in gone} <= COMPACTABLE | {INJECTED, JOB}
    assert not {*running} & {*gone}
    assert view.latest_user is None or view.latest_user.seq not in folded


@given(lanes(), st.integers(0, 6))
def test_a_plan_parts_the_view_and_loses_nothing(view, tail):
    plan = fold(view, before_tail(view, messages=tail))
    if plan is None:
        return

    shown = {one.seq for one in view.shown}
    after = {seq for seq in shown if seq >= plan.start_seq} | set(plan.kept)
    assert after == shown - set(plan.folded)
    assert not set(plan.kept) & set(plan.folded)
    assert plan.start_seq >= view.start_seq


@pytest.mark.requirement("CH-40")
@given(lanes(), st.integers(0, 400))
def test_what_is_left_is_small_enough_or_all_that_may_go_is_gone(view, most):
    taken = oldest(view, lambda left: sum(map(total, left)) <= most)

    left = total(view.shown) - sum(map(total, taken))
    assert left <= most or seqs(taken) == seqs(everything(view))
    if taken:
        assert left + total(taken[-1]) > most
    assert seqs(taken) == seqs(everything(view)[: len(taken)])

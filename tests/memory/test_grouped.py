from hypothesis import given

from memory.windows import grouped, is_complete
from tests.memory.lanes import lanes, model, result, seqs, user


def test_a_call_and_its_results_are_one_group_whatever_stands_between():
    groups = grouped([user(1), model(2, "a", "b"), result(3, "b"), user(4), result(5, "a")])

    assert seqs(groups) == [[1], [2, 3, 5], [4]]


def test_a_result_without_a_call_stands_alone():
    assert seqs(grouped([result(1, "a"), model(2, "a"), result(3, "a")])) == [[1], [2, 3]]


def test_a_result_answers_the_latest_call_of_its_id():
    assert seqs(grouped([model(1, "a"), model(2, "a"), result(3, "a")])) == [[1], [2, 3]]


def test_a_group_is_complete_when_every_call_has_its_result():
    assert is_complete([model(1)])
    assert is_complete([model(1, "a"), result(2, "a")])
    assert not is_complete([model(1, "a", "b"), result(2, "a")])


@given(lanes())
def test_every_event_is_in_one_group(view):
    members = [one.seq for group in view.groups for one in group]

    assert sorted(members) == [one.seq for one in view.shown]

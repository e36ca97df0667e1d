import pytest

from bench import floors


def marks(recall: float, questions: int = 50) -> dict[str, dict[str, dict[str, float]]]:
    values = {"R@5": recall, "NDCG@10": 40.0, "R@1000w": 90.0, "questions": questions}
    return {"madial": {"none": values}}


def held(recall: float) -> dict[str, dict[str, dict[str, float]]]:
    return {"madial": {"none": {"R@5": recall}}}


def test_what_reaches_its_floor_is_not_below_it():
    assert list(floors.below(held(54.0), marks(54.0))) == []


def test_what_is_below_its_floor_is_named_with_both_figures():
    (line,) = floors.below(held(54.0), marks(53.9))

    assert line == "madial, none: R@5 is 53.90, and its floor 54.00"


def test_what_was_not_measured_is_not_below_its_floor():
    assert list(floors.below({"locomo": {"none": {"R@5": 60.0}}}, marks(1.0))) == []


def test_a_floor_is_raised_to_what_was_measured_less_half_a_question():
    higher = floors.raised(held(50.0), marks(60.0, questions=50))

    assert higher["madial"]["none"] == {"R@5": 59.0, "NDCG@10": 39.0, "R@1000w": 89.0}


@pytest.mark.parametrize("recall", [0.0, 49.9, 50.0, 50.9])
def test_no_floor_is_ever_lowered(recall):
    assert floors.raised(held(50.0), marks(recall))["madial"]["none"]["R@5"] == 50.0


def test_floors_of_what_was_not_measured_stay():
    other = {"locomo": {"local": {"MRR": 7.0}}}

    assert floors.raised(other, marks(60.0))["locomo"] == other["locomo"]


def test_the_file_comes_back_as_it_was_written(tmp_path):
    path = tmp_path / "floors.json"
    assert floors.read(path) == {}

    floors.write(held(50.0), path)

    assert floors.read(path) == held(50.0)


def test_the_floors_that_are_kept_are_of_metrics_that_are_measured():
    kept = floors.read()

    assert {metric for states in kept.values() for one in states.values() for metric in one} == set(
        floors.HELD
    )

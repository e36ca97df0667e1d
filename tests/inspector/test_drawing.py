import pytest

from inspector.drawing import Series, bars, lines, nice, said


@pytest.mark.parametrize(
    ("highest", "end"), [(0, 1), (0.07, 0.1), (1, 1), (3, 5), (12, 20), (100, 100), (101, 200)]
)
def test_an_axis_ends_at_a_round_number(highest, end):
    assert nice(highest) == pytest.approx(end)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0.0, "0"), (1200.0, "1,200"), (0.1234, "0.123")]
)
def test_a_number_is_short(value, text):
    assert said(value) == text


def test_bars_stand_on_each_other():
    chart = bars("k", "T", "About.", ["1 May"], [Series("a", [1.0]), Series("b", [3.0])])

    low, high = chart.bars
    assert float(high.y) + float(high.height) == pytest.approx(float(low.y), abs=0.2)
    assert float(high.height) == pytest.approx(3 * float(low.height), abs=0.3)
    assert high.words == "1 May, b: 3"


def test_what_is_not_known_is_a_gap_in_the_line():
    chart = lines("k", "T", "About.", ["1", "2", "3", "4"], [Series("a", [1.0, None, 2.0, 3.0])])

    assert chart.strokes[0].path.count("M") == 2
    assert chart.strokes[0].path.count("L") == 1
    assert [row[1] for row in chart.rows] == [["1"], ["-"], ["2"], ["3"]]


def test_nothing_but_zeros_is_empty():
    assert bars("k", "T", "About.", ["1"], [Series("a", [0.0])]).is_empty


def test_many_days_get_few_labels():
    days = [str(n) for n in range(90)]

    assert len(lines("k", "T", "About.", days, [Series("a", [1.0] * 90)]).across) <= 6

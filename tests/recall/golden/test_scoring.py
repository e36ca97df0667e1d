from uuid import UUID

import pytest

from recall.golden.scoring import outcome, score, summary

A, B, C = (UUID(int=number) for number in range(1, 4))
OTHER = [UUID(int=99)]


def filled(*events: UUID, first: int) -> list[list[UUID]]:
    """Return a ranking whose results bring these events, the first of them at a place from 1."""
    return [OTHER] * (first - 1) + [[event] for event in events]


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ([], (0, 0, 0)),
        (filled(A, B, first=1), (1, 1, 1)),
        (filled(A, B, first=5), (0.5, 1, 1 / 5)),
        (filled(A, B, first=10), (0, 0.5, 1 / 10)),
        ([[A, B]], (1, 1, 1)),
        ([[A], [A]], (0.5, 0.5, 1)),
    ],
)
def test_a_ranking_is_scored_by_what_it_brings_and_where(ranking, expected):
    found = score({A, B}, ranking, 5)

    assert (found.at_k, found.at_ten, found.reciprocal_rank) == pytest.approx(expected)


def test_what_enters_and_leaves_the_first_ten_is_gained_and_lost():
    found = outcome({A, B, C}, today=[[A], [B]], variant=[[B], [C], OTHER], k=5)

    assert found.gained == {C}
    assert found.lost == {A}


def test_a_place_counts_less_than_what_is_brought():
    better = outcome({A, B}, today=[[A]], variant=filled(A, B, first=2), k=5)
    later = outcome({A}, today=[[A]], variant=filled(A, first=2), k=5)

    assert better.change > 0 > later.change


def test_a_summary_is_of_means_and_sums():
    same = outcome({A}, today=[[A]], variant=[[A]], k=5)
    worse = outcome({A, B}, today=[[A, B]], variant=[[A]], k=5)

    found = summary([same, worse])

    assert (found.questions, found.gained, found.lost) == (2, 0, 1)
    assert (found.today.at_k, found.variant.at_k, found.loss) == (1, 0.75, 0.25)
    assert summary([]) is None


def test_what_is_gained_in_the_mean_is_no_loss():
    assert summary([outcome({A}, today=[], variant=[[A]], k=5)]).loss == 0

"""Which vectors can be compared."""

import numpy as np
import pytest

from providers.base import is_usable


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([0.6, 0.8], True),
        ([3.0, 4.0], True),
        ([0.0, 0.0], False),
        ([1.0], False),
        ([1.0, 0.0, 0.0], False),
        ([[1.0, 0.0]], False),
        ([float("nan"), 1.0], False),
        ([float("inf"), 1.0], False),
        ([float("-inf"), 1.0], False),
        ([3e38, 3e38], True),
        ([1e-30, 0.0], True),
    ],
)
def test_it_has_the_length_is_finite_and_points_somewhere(
    numbers: list[float], expected: bool
) -> None:
    assert is_usable(np.array(numbers, dtype=np.float32), 2) is expected

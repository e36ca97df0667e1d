"""What a sentence tells of a thing that is to be forgotten."""

import pytest

from consolidation.deletion.matcher import matcher_of, matches
from knowledge.models import Fact

SAVINGS = Fact(
    object="The user has £38,250 of once £30,000 in an account at the Harwich branch.",
    evidence_quote="savings stand at 38250 pounds now",
)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Savings are £38,250, not £32,850.", True),
        ("She counts on 38.250 in the bank.", True),
        ("She counts on 38 250 pounds.", True),
        ("The house costs £382,500.", False),
        ("A round 30,000 is left.", False),
        ("It was in 2025, on day 250 of 38 weeks.", False),
    ],
)
def test_an_amount_tells_of_it_however_it_is_written(text, is_told):
    assert matches(text, [matcher_of(SAVINGS)]) is is_told

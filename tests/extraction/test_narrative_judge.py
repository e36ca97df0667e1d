import pytest

from extraction.contracts.narrative_judge import judging
from extraction.rules.model import OfflineChat
from providers.chat import Line

OBSERVED = [
    Line("1", "user", "User plans a garden in Porto."),
    Line("2", "user", "User grows tomatoes."),
    Line("3", "user", "User builds a greenhouse."),
    Line("4", "user", "User orders glass for the roof."),
]
WHOLE = "The user plans a garden in Porto and grows tomatoes. They build: User builds a greenhouse and orders glass for the roof."


def marks(narrative, observed=OBSERVED):
    found = OfflineChat().complete(judging(narrative, observed)).value
    return found.completeness, found.conciseness, found.recency


@pytest.mark.requirement("TS-86")
def test_a_narrative_that_says_all_is_the_best():
    assert marks(WHOLE) == (5, 5, 5)


@pytest.mark.requirement("TS-86")
def test_what_is_missing_costs_completeness_and_if_it_is_new_recency():
    assert marks("The user plans a garden in Porto.") == (2, 5, 1)


def test_what_is_said_twice_costs_conciseness():
    assert marks(f"{WHOLE} {WHOLE}")[1] < 5


def test_five_hundred_words_too_many_cost_it_all():
    assert marks(" ".join(f"word{number}" for number in range(1_100)))[1] == 1


def test_a_narrative_of_nothing_is_complete():
    assert marks("", []) == (5, 5, 5)

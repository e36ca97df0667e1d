"""The measures of a picture, on one labelled user."""

import math

import pytest

from bench.profile import CASES, VARIANTS, Case, Score, judge, play, read, run

CASE = Case(
    id="alice",
    observations=[
        {"type": "fact", "content": "User lives in Porto.", "source": "interactive"},
        {"type": "fact", "content": "User works as a baker.", "source": "interactive"},
        {"type": "preference", "content": "User prefers short emails.", "source": "interactive"},
    ],
    truth=[{"says": "Porto"}, {"says": "baker"}, {"says": "short emails"}, {"says": "a parrot"}],
    narrative=["Porto"],
    queries=[{"ask": "How long may an email be?", "relevant": ["short emails"]}],
)


@pytest.fixture
def score(porter) -> Score:
    found = Score()
    judge(CASE, play(porter, CASE, found), found)
    return found


@pytest.mark.requirement("TS-84")
def test_accuracy_is_the_share_of_truths_that_the_profile_says(score):
    assert score.mean("profile: truths known") == 0.75
    assert score.faults == ["alice: missed ['a parrot'], still said []"]


@pytest.mark.requirement("TS-85")
def test_retrieval_is_marked_by_precision_and_gain(score):
    assert score.mean("retrieval: P@5 of what can be") == 1
    assert 0 < score.mean("retrieval: NDCG@5") <= 1


@pytest.mark.requirement("TS-86")
def test_a_judge_marks_the_narrative(score):
    marks = [
        score.mean(f"narrative: {name} (1 to 5)")
        for name in ("completeness", "conciseness", "recency")
    ]

    assert all(1 <= mark <= 5 for mark in marks)


@pytest.mark.requirement("TS-87")
def test_it_counts_the_observations_to_a_useful_profile(score):
    assert score.mean("observations to a useful profile") == 3


@pytest.mark.requirement("TS-93")
def test_each_variant_is_a_setting_of_an_agent_and_changes_its_prompts(porter):
    scores = {name: run([CASE], name, fields) for name, fields in VARIANTS.items()}

    answered = {name: score.mean("prompt: holds the answer") for name, score in scores.items()}
    tokens = {name: score.mean("prompt: tokens") for name, score in scores.items()}
    assert answered["no memory"] == 0
    assert answered["all tiers"] == answered["each observation at once"] == 1
    assert tokens["no memory"] < tokens["narrative alone"] < tokens["all tiers"]
    fixed = scores["fixed scaffold"].mean("profile: truths known")
    assert fixed < scores["all tiers"].mean("profile: truths known")


def test_the_labelled_cases_can_be_read():
    cases = read(CASES)

    assert len(cases) >= 10
    assert all(case.truth and case.observations for case in cases)


def test_a_figure_of_nothing_is_no_number():
    assert math.isnan(Score().mean("anything"))

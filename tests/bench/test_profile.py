"""The measures of a picture, on one labelled user."""

import math
from dataclasses import replace

import pytest

from accounts.owners import resolve_owner
from bench.profile import (
    CASES,
    VARIANTS,
    Case,
    Score,
    _measure_keys,
    judge,
    play,
    read,
    run,
    variants_of,
)
from knowledge.profile.edit import edit_profile

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
    assert score.mean("retrieval: P@5") == 0.2
    assert score.mean("retrieval: recall@5, lost facts counted") == 1
    assert 0 < score.mean("retrieval: NDCG@5, lost facts counted") <= 1


@pytest.mark.requirement("TS-85")
def test_a_fact_that_was_lost_counts_as_not_found(porter):
    query = {"ask": "How is the parrot?", "relevant": ["a parrot called Coco"]}
    lost, found = replace(CASE, queries=[query]), Score()

    judge(lost, play(porter, lost, found), found)

    assert found.mean("retrieval: P@5") == 0
    assert found.mean("retrieval: recall@5, lost facts counted") == 0
    assert found.mean("retrieval: NDCG@5, lost facts counted") == 0


def test_drift_is_the_share_of_keys_that_go(porter):
    owner, found = resolve_owner(agent=porter, user="carol"), Score()
    edit_profile(owner=owner, part="scaffold", fields={"/A": "1", "/B": "2"}, actor="x")

    keys = _measure_keys(owner, {"/A", "/C", "/D", "/E"}, found)

    assert keys == {"/A", "/B"}
    assert (found.mean("profile: drift of keys"), found.mean("profile: new keys in a run")) == (
        0.75,
        1,
    )


def test_several_models_are_a_variant_only_where_there_are_several():
    assert "a model for each part" not in variants_of("one", "one")
    assert "a model for each part" in variants_of("one", "two")


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
    usual, at_once = scores["all tiers"], scores["each observation at once"]
    runs = "profile: new keys in a run"
    assert (len(usual.sums[runs]), len(at_once.sums[runs])) == (1, 3)
    fixed = scores["fixed scaffold"].mean("profile: truths known")
    assert fixed < scores["all tiers"].mean("profile: truths known")


def test_the_labelled_cases_can_be_read():
    cases = read(CASES)

    assert len(cases) >= 10
    assert all(case.truth and case.observations for case in cases)


def test_a_figure_of_nothing_is_no_number():
    assert math.isnan(Score().mean("anything"))

"""Learning that fails on its way: nothing half-written, nothing asked twice, each failure to be seen."""

import json

import pytest

from audit.failpoint import FailpointReached
from consolidation.jobs.queue import retry
from consolidation.learning import write
from consolidation.models import Candidate, Job, LearningRun
from tests.consolidation.learning.lessons import (
    BRIEF,
    NO_RULES,
    SISTER,
    again,
    fact_ruling,
    facts,
    rule_ruling,
    rules,
    runs,
    states,
    turn,
)
from tests.factories import make_session, run_jobs

UNAVAILABLE = ["500", "429", "cut-body"]


@pytest.mark.requirement("OC-10")
@pytest.mark.parametrize("fault", [*UNAVAILABLE, "401"])
def test_a_provider_that_cannot_answer_leaves_a_run_that_waits(porter, teacher, fault):
    session = make_session(porter)
    teacher.script = [fault] * 20

    turn(session)
    run_jobs(1)

    assert not Candidate.objects.exists()
    assert [state for _, _, state, _ in runs(session)] == ["due", "due"]
    assert all(code.startswith("provider_") for _, _, _, code in runs(session))
    job = Job.objects.get(kind="learn")
    assert (job.state, job.last_error_code) == ("due", runs(session)[0][3])
    assert Job.objects.filter(kind="learn", attempts__lte=1).exists()


@pytest.mark.parametrize(
    ("fault", "code"), [("refusal", "reply_refused"), ("too-long", "input_too_long")]
)
def test_a_request_that_is_rejected_fails_its_run_and_not_the_other(porter, teacher, fault, code):
    session = make_session(porter)
    teacher.script = [fault]

    turn(session, BRIEF)
    run_jobs(1)

    assert runs(session)[0] == (1, "semantic", "failed", code)
    assert {lane for lane, _, _ in states(session)} <= {"procedural"}
    assert LearningRun.objects.filter(diagnostics__semantic_error=code).count() == 2
    assert Job.objects.get(kind="learn").state == "done"


@pytest.mark.parametrize("fault", ["prose", "half", "wrong-fields", "list", "length"])
def test_an_answer_out_of_contract_is_tried_again_and_does_not_stop_the_other(
    porter, teacher, fault
):
    session = make_session(porter)
    teacher.script = [fault] * (3 if fault == "length" else 2)

    turn(session, BRIEF)
    run_jobs(1)

    assert runs(session)[0] == (1, "semantic", "due", "reply_malformed")
    assert runs(session)[1][2:] == ("done", "")
    job = Job.objects.get(kind="learn")
    assert (job.state, job.last_error_code) == ("due", "reply_malformed")


def test_a_turn_that_nobody_can_read_dies_and_an_operator_has_it_tried_again(
    porter, teacher, settings
):
    settings.JOB_MAX_ATTEMPTS = 2
    session = make_session(porter)
    teacher.script = ["prose"] * 8
    turn(session)
    again()
    again()
    job = Job.objects.get(kind="learn")
    assert (job.state, job.last_error_code) == ("dead", "reply_malformed")

    retry(job)
    teacher.script = [facts(SISTER), fact_ruling(), NO_RULES]
    again()

    assert states(session) == [("semantic", "held", "llm_policy")]
    assert Job.objects.get(kind="learn").state == "done"


@pytest.mark.requirement("OC-21")
@pytest.mark.parametrize(
    "wrong", [{"category": "hobby"}, {"predicate": "LIKES"}, {"object": ""}, {"object": "x" * 201}]
)
def test_values_beyond_the_contract_are_rejected(porter, teacher, wrong):
    session = make_session(porter)
    teacher.script = [facts(SISTER, **wrong)] * 3 + [NO_RULES]

    turn(session)
    run_jobs(1)

    assert runs(session)[0][2:] == ("due", "reply_malformed")
    assert not Candidate.objects.exists()


@pytest.mark.requirement("OC-20")
@pytest.mark.parametrize("quote", ["", "x" * 281])
def test_a_quote_is_of_1_to_280_characters(porter, teacher, quote):
    session = make_session(porter)
    teacher.script = [facts(quote)] * 3 + [NO_RULES]

    turn(session, f"{quote} indeed")
    run_jobs(1)

    assert runs(session)[0][2:] == ("due", "reply_malformed")


@pytest.mark.requirement("OC-10")
def test_a_candidate_that_cannot_be_judged_has_failed_and_the_others_go_on(porter, teacher):
    session = make_session(porter)
    other = "My brother is called Max."
    teacher.script = [facts(SISTER, other), *["no ruling"] * 3, fact_ruling(), NO_RULES]

    turn(session, f"{SISTER} {other}")
    run_jobs(1)

    assert states(session) == [
        ("semantic", "failed", "error.policy_llm"),
        ("semantic", "held", "llm_policy"),
    ]
    assert LearningRun.objects.filter(lane="semantic", state="done").exists()


def test_what_was_answered_before_a_failure_is_not_asked_again(porter, teacher):
    session = make_session(porter)
    other = "My brother is called Max."
    teacher.script = [facts(SISTER, other), fact_ruling(), *["503"] * 4, *["503"] * 4]
    turn(session, f"{SISTER} {other}")
    run_jobs(1)
    assert not Candidate.objects.exists()
    assert LearningRun.objects.get(lane="semantic").state == "replied"
    teacher.chats.clear()
    teacher.script = [fact_ruling("drop"), NO_RULES]

    again()

    assert [state for _, state, _ in states(session)] == ["held", "dropped"]
    assert len(teacher.chats) == 2


@pytest.mark.parametrize(
    "place", ["learn.after_reply", "learn.after_pin", "learn.mid_write", "learn.after_write"]
)
@pytest.mark.parametrize("time", [1, 2, 3])
def test_whatever_dies_on_the_way_everything_is_written_once(
    porter, teacher, monkeypatch, place, time
):
    session = make_session(porter)
    passed: list[str] = []

    def fail(name):
        passed.append(name)
        if name == place and passed.count(name) == time:
            raise FailpointReached(name)

    monkeypatch.setattr(write, "failpoint", fail)
    answers = [facts(SISTER), fact_ruling(), rules(BRIEF), rule_ruling()]
    teacher.script = list(answers)
    turn(session, f"{SISTER} {BRIEF}")
    run_jobs(1)
    died_before_pin = place == "learn.after_reply"
    if died_before_pin:
        # What was answered and not yet pinned is asked once more.
        teacher.script = answers[time - 1 :]

    again()

    assert states(session) == [
        ("semantic", "held", "llm_policy"),
        ("procedural", "held", "llm_policy"),
    ]
    assert [state for _, _, state, _ in runs(session)] == ["done", "done"]


def test_a_turn_that_waits_holds_up_the_next_one(porter, teacher):
    session = make_session(porter)
    teacher.script = ["503"] * 20
    turn(session)
    turn(session, BRIEF)
    run_jobs(1)
    teacher.script = [facts(SISTER), fact_ruling(), NO_RULES]

    again()

    assert [seq for seq, *_ in runs(session)] == [1, 1]
    assert {state for _, _, state, _ in runs(session)} == {"done"}


def test_no_word_of_a_failure_is_in_the_log(porter, teacher, caplog):
    session = make_session(porter)
    teacher.script = [json.dumps({"my private words": SISTER})] * 3

    turn(session)
    run_jobs(1)

    assert "private" not in caplog.text
    assert SISTER not in caplog.text

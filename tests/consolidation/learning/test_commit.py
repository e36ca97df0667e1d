"""What may be known at once is known when its turn has been learned from, and not a moment before."""

import pytest

from audit.failpoint import FailpointReached
from consolidation.learning import write
from consolidation.models import Candidate, LearningRun
from knowledge.changes.corrections import delete_item
from knowledge.models import Changeset, Fact, Rule
from tests.consolidation.learning.lessons import (
    BRIEF,
    NO_FACTS,
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

AT_ONCE = fact_ruling("commit_now")


def outcomes(session) -> list[tuple[str, str]]:
    found = Candidate.objects.filter(session=session).order_by("turn", "-lane", "place")
    return list(found.values_list("state", "outcome"))


@pytest.mark.requirement("OC-46")
def test_what_the_gate_lets_through_is_known_after_the_turn(porter, teacher):
    session = make_session(porter)
    teacher.script = [facts(SISTER), AT_ONCE, rules(BRIEF), rule_ruling("commit_now")]

    turn(session, f"{SISTER} {BRIEF}")
    assert not Fact.objects.exists()
    run_jobs()

    fact, rule = Fact.objects.get(), Rule.objects.get()
    assert (fact.evidence_quote, fact.owner, fact.is_active) == (SISTER, session.owner, True)
    assert (rule.text, rule.evidence, rule.is_active) == ("Answer briefly.", [BRIEF], True)
    assert outcomes(session) == [("committed", "written")] * 2
    report = LearningRun.objects.first().diagnostics
    assert (report["semantic_writes"], report["procedural_writes"]) == (1, 1)


@pytest.mark.requirement("OC-47")
def test_what_is_held_is_not_known(porter, teacher):
    session = make_session(porter)
    teacher.script = [facts(SISTER), fact_ruling(), rules(BRIEF), rule_ruling()]

    turn(session, f"{SISTER} {BRIEF}")
    run_jobs()

    assert outcomes(session) == [("held", "")] * 2
    assert not Fact.objects.exists()
    assert not Rule.objects.exists()


def test_what_is_said_again_is_bumped_without_a_question(porter, teacher):
    session = make_session(porter)
    for _ in range(2):
        teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]
        turn(session)
        run_jobs()

    assert Fact.objects.count() == 1
    assert outcomes(session) == [("committed", "written"), ("committed", "bumped")]
    assert len(teacher.chats) == 6


def test_some_are_known_and_some_are_held(porter, teacher):
    session = make_session(porter)
    other, third = "My brother is called Max.", "My aunt is called Eve."
    teacher.script = [
        facts(SISTER, other, third),
        fact_ruling(),
        AT_ONCE,
        fact_ruling("drop"),
        NO_RULES,
    ]

    turn(session, f"{SISTER} {other} {third}")
    run_jobs()

    assert outcomes(session) == [("held", ""), ("committed", "written"), ("dropped", "")]
    assert Fact.objects.get().evidence_quote == other


@pytest.mark.parametrize(("place", "written"), [("learn.mid_write", 0), ("learn.after_write", 1)])
def test_a_fact_and_its_verdict_are_written_together_and_once(
    porter, teacher, monkeypatch, place, written
):
    session = make_session(porter)

    def fail(name):
        if name == place:
            raise FailpointReached(name)

    monkeypatch.setattr(write, "failpoint", fail)
    teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]
    turn(session)
    run_jobs(1)
    assert Fact.objects.count() == Candidate.objects.count() == written
    monkeypatch.undo()

    again()

    assert Fact.objects.count() == Candidate.objects.count() == 1
    assert outcomes(session) == [("committed", "written")]


def test_a_matching_that_fails_writes_nothing_until_it_succeeds(porter, teacher):
    session = make_session(porter)
    teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]
    turn(session)
    run_jobs()
    other = "My sister is now called Anna."
    teacher.script = [facts(other, object="sister Anna"), AT_ONCE, *["503"] * 4, NO_RULES]

    turn(session, other)
    run_jobs(1)

    assert Fact.objects.count() == Candidate.objects.count() == 1
    assert runs(session)[2:] == [
        (3, "semantic", "replied", "provider_unavailable"),
        (3, "procedural", "done", ""),
    ]
    teacher.script = [
        '{"action":"coexist","record_indexes":[],"reason":"Two.","confidence":"high"}'
    ]
    again()
    assert outcomes(session) == [("committed", "written")] * 2
    assert Fact.objects.count() == 2


def test_what_was_deleted_does_not_come_back(porter, teacher):
    session = make_session(porter)
    teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]
    turn(session)
    run_jobs()
    fact = Fact.objects.get()
    delete_item(owner=session.owner, kind="fact", target=fact.pk, actor="alice")
    teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]

    turn(session)
    run_jobs()

    assert not Fact.objects.exists()
    row = Candidate.objects.get(turn=3)
    assert (row.state, row.outcome, row.payload) == ("dropped", "buried", {})


def test_a_matching_out_of_contract_fails_its_candidate_alone(porter, teacher):
    session = make_session(porter)
    teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]
    turn(session)
    run_jobs()
    other = "My sister is now called Anna."
    teacher.script = [facts(other, object="sister Anna"), AT_ONCE, *["prose"] * 3, NO_FACTS]

    turn(session, other)
    run_jobs(1)

    assert outcomes(session)[1] == ("failed", "failed")
    assert Fact.objects.count() == 1


def test_a_run_that_was_committed_is_not_committed_again(porter, teacher):
    session = make_session(porter)
    key = f"turn:{session.pk}:1:semantic"
    Changeset.objects.create(owner=session.owner, origin="turn", run_key=key)
    teacher.script = [facts(SISTER), AT_ONCE, NO_RULES]

    turn(session)
    run_jobs()

    assert outcomes(session) == [("committed", "repeated")]
    assert not Fact.objects.exists()
    assert states(session) == [("semantic", "committed", "llm_policy")]

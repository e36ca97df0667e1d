"""What a person has deleted is gone from what waits as well, and no run brings it back."""

import json
from dataclasses import asdict, replace

import pytest

from consolidation.deletion.forget import forget_item
from consolidation.intake.accept import accept_events, end_session
from consolidation.learning.reconcile.job import commit_candidates
from consolidation.models import Candidate
from consolidation.verdict import Action, Verdict, VerdictCode
from knowledge.changes.apply import edit_item
from knowledge.errors import ItemUnknown
from knowledge.models import Arc, ChangeItem, Fact, Rule
from tests.consolidation.candidates import became, fact, hold, rule
from tests.consolidation.learning.reconcile.candidates import claimed
from tests.factories import make_session, run_jobs, said
from tests.knowledge.learned import added, arc_fields, changed

MARATHON = fact("Berlin marathon", "I ran the Berlin marathon in May.")
KNEE = fact("sore knee", "My sore knee keeps me up at night.", 2)
BRIEF = rule("Keep your answers brief.", "Brief answers, please.")
TWICE = (MARATHON.quote, "After the Berlin marathon I slept for a day.")
VERDICT = Verdict(Action.COMMIT_NOW, VerdictCode.LLM_POLICY, "the marathon in May is plain")


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def session(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said(text) for text in TWICE])
    return session


def learn(session, *facts, rules=()):
    commit_candidates(
        job=claimed("learn"),
        owner=session.owner,
        session=session,
        facts=[(one, VERDICT) for one in facts],
        rules=[(one, VERDICT) for one in rules],
        origin="turn",
        run_key="learn",
    )


def forget(session, row, kind="fact"):
    return forget_item(owner=session.owner, kind=kind, target=row.pk, actor="alice")


@pytest.mark.requirement("XX-06")
@pytest.mark.requirement("OC-73")
def test_what_was_forgotten_is_not_promoted_at_the_sessions_end(session):
    learn(session, MARATHON)
    hold(session, MARATHON)

    forget(session, Fact.objects.get())
    end_session(session=session, reason="explicit")
    run_jobs()

    assert not Fact.objects.exists()


@pytest.mark.requirement("XX-06")
@pytest.mark.requirement("OC-73")
def test_what_was_found_before_and_is_kept_only_after_is_not_promoted_either(session):
    """An extraction was under way while the person deleted."""
    learn(session, MARATHON)
    forget(session, Fact.objects.get())

    rows = hold(session, MARATHON)
    end_session(session=session, reason="explicit")
    run_jobs()

    # What is muted bears nothing out.
    assert became(rows) == [("skipped", "skip.unsupported")]
    assert not Fact.objects.exists()


@pytest.mark.requirement("OC-73")
def test_candidates_that_say_the_same_are_emptied_and_held_no_more(session):
    learn(session, MARATHON)
    rows = hold(session, MARATHON, KNEE, replace(MARATHON, quote="In May, the marathon."))

    forget(session, Fact.objects.get())

    gone = ("skipped", "guard.tombstone")
    assert became(rows) == [gone, ("held", ""), gone]
    assert [row.payload for row in rows] == [{}, json.loads(json.dumps(asdict(KNEE))), {}]
    assert "arathon" not in str([*Candidate.objects.values(), *ChangeItem.objects.values()])


@pytest.mark.requirement("OC-73")
def test_the_log_of_verdicts_keeps_no_word_of_it(session):
    learn(session, MARATHON)
    (row,) = hold(session, MARATHON, state="dropped", reason="the marathon is small talk")

    forget(session, Fact.objects.get())

    assert became([row]) == [("dropped", "")]
    assert (row.payload, row.reason) == ({}, "")


def test_what_an_edited_fact_said_first_is_forgotten_too(session):
    learn(session, MARATHON)
    rows = hold(session, MARATHON)
    found = Fact.objects.get()
    fields = {"object": "Paris marathon"}
    edit_item(owner=session.owner, kind="fact", target=found.pk, fields=fields, actor="alice")

    forget(session, found)

    assert became(rows) == [("skipped", "guard.tombstone")]


def test_a_rule_is_forgotten_where_it_waits(session):
    learn(session, rules=[BRIEF])
    rows = hold(session, BRIEF, MARATHON)

    forget(session, Rule.objects.get(), "rule")

    assert became(rows) == [("skipped", "guard.tombstone"), ("held", "")]


def test_an_arc_waits_nowhere(session):
    changed(session.owner, added("arc", arc_fields(session.pk)))
    rows = hold(session, MARATHON)

    forget(session, Arc.objects.get(), "arc")

    assert became(rows) == [("held", "")]
    assert not Arc.objects.exists()


def test_another_persons_candidates_stay(session, porter):
    learn(session, MARATHON)
    rows = hold(make_session(porter, "bob"), MARATHON)

    forget(session, Fact.objects.get())

    assert became(rows) == [("held", "")]


def test_what_is_not_there_empties_nothing(session, porter):
    learn(session, MARATHON)
    rows = hold(session, MARATHON)

    with pytest.raises(ItemUnknown):
        forget(make_session(porter, "bob"), Fact.objects.get())

    assert became(rows) == [("held", "")]

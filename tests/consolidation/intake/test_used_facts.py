"""Salience is fed by what replies really used."""

import pytest

from accounts.owners import resolve_owner
from consolidation.intake.accept import accept_events
from consolidation.models import Job
from knowledge.models import SavedFact
from knowledge.saved_facts.save import NewFact, save_facts
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.receipts.used import used
from tests.factories import make_session, run_jobs, said


@pytest.fixture
def session(porter, settings, tmp_path):
    settings.WORKSPACE = str(tmp_path)
    session = make_session(porter)
    facts = [
        NewFact("cat", "her cat is called Whiskerino"),
        NewFact("town", "she lives in Graz near the river Mur"),
    ]
    save_facts(owner=session.owner, facts=facts, session=None, source="tool")
    accept_events(agent=porter, session=session, drafts=[said("What is my cat's name?")])
    return session


def answer(session, text, **fields):
    drafts = [said(text, "assistant", **fields)]
    accept_events(agent=session.owner.agent, session=session, drafts=drafts)
    run_jobs()
    return dict(SavedFact.objects.values_list("key", "access_count"))


def test_a_fact_that_the_reply_says_again_is_counted_and_no_other(session):
    assemble_context(session=session)

    assert answer(session, "Your cat is called Whiskerino.") == {"cat": 1, "town": 0}
    assert SavedFact.objects.get(key="cat").decay_score > 1


def test_without_a_prompt_nothing_was_used(session):
    assert answer(session, "Your cat is called Whiskerino.") == {"cat": 0, "town": 0}
    assert not Job.objects.filter(kind="used_facts").exists()


def test_a_prompt_alone_is_no_use(session):
    assemble_context(session=session)
    run_jobs()

    assert set(SavedFact.objects.values_list("access_count", flat=True)) == {0}


def test_less_than_three_fifths_of_a_value_is_no_use(session):
    assemble_context(session=session)
    receipt = Receipt.objects.select_related("owner__agent").get()

    # Of she, lives, graz, near, river, mur: the meaningful ones count.
    assert used(receipt, "Graz is nice.") == []
    assert used(receipt, "You live near the river Mur in Graz.") == [
        SavedFact.objects.get(key="town").pk
    ]


def test_what_was_deleted_meanwhile_is_not_missed(session, porter):
    assemble_context(session=session)
    SavedFact.objects.all().delete()

    assert answer(session, "Your cat is called Whiskerino.") == {}
    bob = resolve_owner(agent=porter, user="bob")
    assert not SavedFact.objects.filter(owner=bob).exists()

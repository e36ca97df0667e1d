"""What the gate lets through is observed as well, and goes with what was forgotten."""

import pytest
from django.db import transaction

from consolidation.deletion.forget import forget_item
from consolidation.intake.accept import accept_events
from consolidation.models import ContextEvent, Job
from consolidation.observations.record import observe
from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import (
    ChangeItem,
    ContextDocument,
    Fact,
    LearnedInfo,
    Scaffold,
    UserNarrative,
)
from knowledge.profile.edit import edit_profile
from tests.consolidation.learning.reconcile.candidates import commit, fact, rule, says
from tests.factories import WHEN, make_agent, make_session, run_jobs, said

HOME = 'The user EXPERIENCED Lyon \u2014 "I live in Lyon."'


@pytest.fixture
def session(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("I live in Lyon.")])
    return session


def note(owner, content: str) -> ContextEvent:
    return observe(owner=owner, event_type="fact", content=content, source="interactive")


def seen() -> list[tuple[str, str]]:
    return list(ContextEvent.objects.order_by("pk").values_list("event_type", "content"))


@pytest.mark.requirement("TS-02")
@pytest.mark.requirement("TS-07")
def test_a_fact_that_is_learned_is_observed_without_being_asked_for(session):
    tea = fact("tea", "I prefer tea.", category="preference", predicate="USES")

    commit(session, fact(), tea, rule())

    assert seen() == [("fact", HOME), ("preference", 'The user USES tea \u2014 "I prefer tea."')]
    home = ContextEvent.objects.get(event_type="fact")
    assert home.key == f"fact:{Fact.objects.get(object='Lyon').pk}"
    assert home.source_metadata == {"source": "interactive", "session_id": str(session.pk)} | {
        "message_id": home.source_metadata["message_id"]
    }
    assert home.observed_at == WHEN
    assert not Job.objects.filter(kind="synthesise").exists()


@pytest.mark.requirement("TS-01")
@pytest.mark.requirement("TS-02")
def test_talking_alone_is_enough(porter):
    porter.synthesises_at_once = True
    porter.save()
    session = make_session(porter)
    drafts = [said("My sister Nora lives in Lyon."), said("How nice!", "assistant")]
    accept_events(agent=porter, session=session, drafts=drafts)
    for _ in range(3):
        run_jobs()
    learned = Fact.objects.filter(owner=session.owner)

    assert ContextEvent.objects.filter(key__startswith="fact:").count() == learned.count() > 0


def test_what_takes_the_place_of_another_is_a_correction(session, endpoint):
    commit(session, fact("Lyon", "I live in Lyon."))
    endpoint.script = [says("supersede", 0)]

    commit(session, fact("Nice", "I live in Nice now, not in Lyon."), key="turn-2")

    words = 'The user EXPERIENCED Nice \u2014 "I live in Nice now, not in Lyon."'
    assert seen()[-1] == ("correction", words)


@pytest.mark.requirement("TS-94")
def test_what_the_picture_said_of_a_fact_that_was_replaced_goes_in_the_same_changeset(
    session, endpoint
):
    owner = session.owner
    commit(session, fact("Lyon", "I live in Lyon."))
    event = ContextEvent.objects.get()
    edit_profile(owner=owner, part="narrative", fields={"text": "Lives in Lyon. Sails."}, actor="x")
    edit_profile(owner=owner, part="learned_info", fields={"items": ["Home is Lyon."]}, actor="x")
    edit_profile(
        owner=owner, part="scaffold", fields={"/Home": "Lyon", "/Sport": "sails"}, actor="x"
    )
    with transaction.atomic():
        put_documents(
            owner=owner, documents=[NewDocument("Lives in Lyon.", events=(str(event.pk),))]
        )
    endpoint.script = [says("supersede", 0)]

    made = commit(session, fact("Nice", "I live in Nice now, not in Lyon."), key="turn-2")

    assert UserNarrative.objects.get().text == "Sails."
    assert Scaffold.objects.get().data == {"Sport": "sails"}
    assert LearnedInfo.objects.get().items == []
    assert not ContextDocument.objects.exists()
    kinds = ChangeItem.objects.filter(changeset__run_key="turn-2").values_list("kind", flat=True)
    assert {"fact", "narrative", "scaffold", "learned_info", "document"} <= set(kinds), made


def test_what_the_new_fact_says_as_well_stays_in_the_picture(session, endpoint):
    owner = session.owner
    old = fact("choir Cantus on tuesdays", "i sing in the choir Cantus on tuesdays")
    commit(session, old)
    leaves = {"/Choir": "Cantus", "/Busy": "Cantus on tuesdays"}
    edit_profile(owner=owner, part="scaffold", fields=leaves, actor="x")
    narrative = {"text": "Sings in the choir Cantus. Cantus meets on tuesdays."}
    edit_profile(owner=owner, part="narrative", fields=narrative, actor="x")
    endpoint.script = [says("supersede", 0)]

    new = fact("choir Cantus on fridays", "the choir Cantus is on fridays now")
    commit(session, new, key="turn-2")

    assert Scaffold.objects.get().data == {"Choir": "Cantus"}
    assert UserNarrative.objects.get().text == "Sings in the choir Cantus."


def test_a_repetition_and_a_bump_are_observed_once(session):
    commit(session, fact())
    commit(session, fact())
    commit(session, fact(), key="turn-2")

    assert seen() == [("fact", HOME)]


def test_where_no_picture_is_kept_facts_are_learned_all_the_same(db):
    session = make_session(make_agent("quiet", keeps_profile=False))

    commit(session, fact())

    assert Fact.objects.count() == 1
    assert seen() == []


def test_what_is_in_quarantine_is_not_observed(session):
    commit(session, fact(source_class="tool_output"))

    assert Fact.objects.get().is_quarantined
    assert seen() == []


@pytest.mark.requirement("TS-09")
def test_a_forgotten_fact_waits_no_more_and_leaves_a_row_without_words(session):
    commit(session, fact())
    owner = session.owner
    note(owner, "She said: I live in Lyon. And more.")
    other = note(owner, "She bakes.")
    worked_in = note(owner, "i live in lyon.")
    ContextEvent.objects.filter(pk=worked_in.pk).update(processed=True)

    forget_item(owner=owner, kind="fact", target=Fact.objects.get().pk, actor="alice")

    assert list(ContextEvent.objects.waiting()) == [other]
    assert [words for _, words in seen()] == ["", "", "She bakes.", ""]
    codes = ContextEvent.objects.order_by("pk").values_list("error_code", flat=True)
    assert list(codes) == ["forgotten", "forgotten", "", ""]
    worked_in.refresh_from_db()
    assert worked_in.processed


def test_forgetting_reaches_nobody_elses_observations(porter, session):
    bob = make_session(porter, "bob")
    commit(session, fact())
    commit(bob, fact(), key="turn-b")

    fact_of_alice = Fact.objects.get(owner=session.owner)
    forget_item(owner=session.owner, kind="fact", target=fact_of_alice.pk, actor="alice")

    assert ContextEvent.objects.get(owner=bob.owner).content == HOME


def test_a_short_quote_empties_only_its_own(session):
    commit(session, fact("tea", "Tea."))
    observe(owner=session.owner, event_type="fact", content="Team lead.", source="interactive")

    forget_item(owner=session.owner, kind="fact", target=Fact.objects.get().pk, actor="alice")

    assert [words for _, words in seen()] == ["", "Team lead."]

"""What is measured of each day, and what its job writes."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from consolidation.intake.accept import accept_events
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import ContextEvent, DailyMeasure
from consolidation.quality.charts import charts
from consolidation.quality.measures import measure
from knowledge.models import Fact, Scaffold, ScaffoldEntry
from recall.prompt.assembly import assemble_context
from tests.factories import WHEN, make_session, said

WHY = {"write_timing": "immediate", "write_reason": "llm_policy", "policy_version": "1"}


@pytest.fixture
def today():
    return timezone.now().astimezone(UTC).date()


def observed(owner, event_type="fact", source="interactive"):
    return ContextEvent.objects.create(
        owner=owner,
        organization=owner.agent.organization,
        event_type=event_type,
        content="x",
        source_metadata={"source": source},
        observed_at=WHEN,
    )


def known(owner, object_="trout", quote="my cat eats trout") -> Fact:
    return Fact.objects.create(
        owner=owner,
        category="context",
        subject_type="User",
        subject="user",
        predicate="KNOWS",
        object_type="Concern",
        object=object_,
        evidence_quote=quote,
        confidence="high",
        **WHY,
    )


def talk(agent, session, *texts):
    roles = ("user", "assistant")
    drafts = [said(text, roles[place % 2]) for place, text in enumerate(texts)]
    accept_events(agent=agent, session=session, drafts=drafts)


@pytest.mark.requirement("TS-89")
def test_observations_are_counted_per_conversation(porter, today):
    owner = make_session(porter, external_id="one").owner
    make_session(porter, external_id="two")
    for source in ("interactive", "interactive", "interactive", "autonomous"):
        observed(owner, source=source)

    assert measure(today)[owner.pk, "observations"] == (3, 2)


@pytest.mark.requirement("TS-91")
def test_corrections_are_counted_among_all_observations(porter, today):
    owner = make_session(porter).owner
    observed(owner)
    observed(owner, "correction")

    assert measure(today)[owner.pk, "corrections"] == (1, 2)


@pytest.mark.requirement("TS-90")
def test_the_keys_of_a_profile_are_counted_on_the_days_it_changes(porter, today):
    owner = make_session(porter).owner
    Scaffold.objects.create(owner=owner, data={"Role": "baker", "Projects": {"Oven": {"by": 1}}})

    assert measure(today)[owner.pk, "scaffold_keys"] == (2, 1)
    assert (owner.pk, "scaffold_keys") not in measure(today - timedelta(days=1))


@pytest.mark.requirement("TS-92")
def test_a_question_that_memory_could_have_answered_is_counted(porter, today):
    session = make_session(porter)
    known(session.owner)
    talk(porter, session, "Hello", "What does your cat eat? And how is the garden?")

    assert measure(today)[session.owner.pk, "repeated_questions"] == (1, 2)


def test_a_question_from_before_it_was_known_is_none(porter, today):
    session = make_session(porter)
    talk(porter, session, "Hello", "What does your cat eat?")
    known(session.owner)

    assert measure(today)[session.owner.pk, "repeated_questions"] == (0, 1)


@pytest.mark.requirement("TS-92")
def test_the_profile_is_known_as_well(porter, today):
    session = make_session(porter)
    Scaffold.objects.create(owner=session.owner, data={"Home": {"city/town": "Porto"}})
    ScaffoldEntry.objects.create(
        owner=session.owner,
        path="/Home/city~1town",
        confidence=1,
        channel="interactive",
        observed_at=WHEN,
    )
    talk(porter, session, "Hello", "Which city is your home?")

    assert measure(today)[session.owner.pk, "repeated_questions"] == (1, 1)


@pytest.mark.requirement("TS-88")
def test_a_fact_of_a_prompt_counts_as_used_when_the_answer_has_its_words(porter, today):
    session = make_session(porter)
    known(session.owner)
    talk(porter, session, "What shall I give my cat?")
    assemble_context(session=session)
    accept_events(agent=porter, session=session, drafts=[said("Trout, as ever.", "assistant")])

    assert measure(today)[session.owner.pk, "utilisation"] == (1, 1)


@pytest.mark.requirement("TS-88")
def test_a_fact_that_the_answer_leaves_aside_counts_as_injected_alone(porter, today):
    session = make_session(porter)
    known(session.owner)
    talk(porter, session, "What shall I give my cat?")
    assemble_context(session=session)
    accept_events(agent=porter, session=session, drafts=[said("Some milk.", "assistant")])

    assert measure(today)[session.owner.pk, "utilisation"] == (0, 1)


def test_a_prompt_that_nothing_answered_counts_for_nothing(porter, today):
    session = make_session(porter)
    known(session.owner)
    talk(porter, session, "What shall I give my cat?")
    assemble_context(session=session)

    assert (session.owner.pk, "utilisation") not in measure(today)


def test_the_job_writes_each_measure_once_and_drops_the_oldest(porter, today):
    owner = make_session(porter).owner
    old = today - timedelta(days=500)
    DailyMeasure.objects.create(owner=owner, day=old, name="corrections", part=1, whole=1)
    observed(owner, "correction")
    for _ in range(2):
        run_job(queue.enqueue(kind="measures", key="periodic"))

    found = DailyMeasure.objects.get(name="corrections")
    assert (found.day, found.part, found.whole) == (today, 1, 1)


def test_charts_add_the_owners_of_an_organization_up(porter, rival, today):
    alice, bob = make_session(porter).owner, make_session(porter, "bob").owner
    for owner in (alice, bob, make_session(rival).owner):
        DailyMeasure.objects.create(owner=owner, day=today, name="corrections", part=1, whole=4)

    span = {"since": today, "until": today}
    found = charts(organization=porter.organization_id, **span)
    one = charts(organization=porter.organization_id, owner=alice.pk, agent="porter", **span)

    assert [(p.part, p.whole, p.value) for p in found["corrections"]] == [(2, 8, 0.25)]
    assert [(p.part, p.whole) for p in one["corrections"]] == [(1, 4)]
    assert found["utilisation"] == []


def test_a_day_with_nothing_to_divide_by_has_no_value(porter, today):
    owner = make_session(porter).owner
    DailyMeasure.objects.create(owner=owner, day=today, name="observations", part=2, whole=0)

    found = charts(organization=porter.organization_id, since=today, until=today)

    assert found["observations"][0].value is None


def test_measuring_takes_few_queries_however_many_owners_there_are(
    porter, today, django_assert_max_num_queries
):
    for number in range(5):
        observed(make_session(porter, f"user {number}").owner)

    with django_assert_max_num_queries(6):
        measure(datetime.now(tz=UTC).date())

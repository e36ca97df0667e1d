from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.utils import timezone as clock

from accounts.owners import resolve_owner
from consolidation.jobs.schedules import PERIODIC
from consolidation.models import Job
from knowledge.models import SavedFact
from knowledge.saved_facts.salience import decay_facts, reinforce, top_facts, touch
from knowledge.saved_facts.save import NewFact, save_facts
from ranking.decay import boost
from tests.factories import run_jobs


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def save(owner, *keys):
    facts = [NewFact(key, "value") for key in keys]
    return save_facts(owner=owner, facts=facts, session=None, source="tool")


@pytest.mark.requirement("OL-37")
def test_the_time_since_the_last_access_counts_whatever_its_zone(alice):
    (row,) = save(alice, "town")
    now = datetime(2026, 5, 8, 12, tzinfo=UTC)
    row.access_count = 9
    row.last_accessed_at = (now - timedelta(days=5)).astimezone(timezone(timedelta(hours=9)))

    reinforce(row, now)

    assert row.decay_score == pytest.approx(boost(10, 5))
    assert row.decay_score < boost(10, 0)
    assert row.last_accessed_at == now


@pytest.mark.requirement("OL-37")
def test_the_database_holds_the_time_with_its_zone(alice):
    save(alice, "town")
    touch(owner=alice, ids=[SavedFact.objects.get().pk])

    row = SavedFact.objects.get()
    assert row.last_accessed_at.utcoffset() is not None
    assert abs(clock.now() - row.last_accessed_at) < timedelta(minutes=1)
    assert row.access_count == 1
    assert row.decay_score == pytest.approx(boost(1, 0), abs=1e-3)


def test_nobody_touches_what_is_another_users(alice, porter):
    (row,) = save(alice, "town")
    bob = resolve_owner(agent=porter, user="bob")

    assert touch(owner=bob, ids=[row.pk]) == 0
    assert SavedFact.objects.get().access_count == 0


@pytest.mark.requirement("OL-36")
def test_facts_fade_by_one_step_in_six_hours_however_often_it_runs(alice):
    save(alice, "old", "low", "new")
    now = clock.now()
    SavedFact.objects.exclude(key="new").update(created_at=now - timedelta(hours=7))
    SavedFact.objects.filter(key="low").update(decay_score=0.0101)

    assert decay_facts(now) == 2
    assert decay_facts(now + timedelta(hours=5)) == 0
    scores = dict(SavedFact.objects.values_list("key", "decay_score"))
    assert scores == {"old": pytest.approx(0.95), "low": 0.01, "new": 1.0}

    assert decay_facts(now + timedelta(hours=6, minutes=1)) == 3
    assert SavedFact.objects.get(key="old").decay_score == pytest.approx(0.95**2)


@pytest.mark.requirement("OL-36")
def test_a_job_does_it_again_and_again(alice):
    save(alice, "old")
    SavedFact.objects.update(created_at=clock.now() - timedelta(hours=7))
    Job.objects.create(kind="decay", key="periodic", max_attempts=5)

    run_jobs()

    assert SavedFact.objects.get().decay_score == pytest.approx(0.95)
    assert Job.objects.get(kind="decay").state == "due"
    assert PERIODIC["decay"] <= 6 * 3600


@pytest.mark.requirement("OL-39")
def test_the_ten_that_matter_most_come_without_a_question(alice):
    save(alice, *(f"k{number:02}" for number in range(12)))
    SavedFact.objects.filter(key__in=("k00", "k01")).update(decay_score=0.5)
    SavedFact.objects.filter(key="k05").update(decay_score=5.0)

    found = [fact.key for fact in top_facts(alice)]

    assert len(found) == 10
    assert found[0] == "k05"
    assert not {"k00", "k01"} & set(found)

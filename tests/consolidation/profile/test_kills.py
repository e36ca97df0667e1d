"""Killed at any place, a run leaves all or nothing, and the next one finishes it."""

import signal
import threading
from collections import Counter
from pathlib import Path

import pytest
from django.db import connection, transaction

from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import ContextEvent, Job, SynthesisRun
from consolidation.profile.claim import claim
from consolidation.profile.request import request_synthesis
from knowledge.models import Changeset, ContextDocument, Contradiction, ScaffoldEntry
from recall.models import Receipt
from tests.consolidation.profile.observed import (
    learned,
    narrative,
    observed,
    owner_of,
    scaffold,
    synthesise,
)
from tests.factories import make_agent
from tests.forked import ended

BEFORE = (
    "synthesis.after_claim",
    "synthesis.after_reply",
    "synthesis.after_pin",
    "synthesis.after_narrative",
    "synthesis.after_scaffold",
    "synthesis.after_documents",
    "synthesis.before_mark",
)


def process(tmp_path: Path, failpoint: str = "") -> int:
    return ended(tmp_path, "process_events", failpoint=failpoint)


def state(owner) -> tuple:
    return (
        narrative(owner),
        scaffold(owner),
        learned(owner),
        ScaffoldEntry.objects.count(),
        ContextDocument.objects.count(),
        Changeset.objects.count(),
        Contradiction.objects.count(),
        Receipt.objects.count(),
        ContextEvent.objects.filter(processed=True).count(),
    )


def half_told(porter):
    """Return alice after one run, with more that waits and contradicts it."""
    alice = owner_of(porter)
    observed(alice, "I live in Lyon.")
    synthesise(alice)
    observed(alice, "I live in Berlin.", "correction", days=1)
    observed(alice, "The invoices come on Mondays.", "learned_fact", days=2)
    return alice


@pytest.mark.requirement("TS-26")
@pytest.mark.requirement("TS-32")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("failpoint", [*BEFORE, "synthesis.after_write"])
def test_a_killed_run_leaves_all_or_nothing_and_is_finished_once(tmp_path, failpoint):
    alice = half_told(make_agent())
    before = state(alice)

    assert process(tmp_path, failpoint) == -signal.SIGKILL

    is_all = failpoint not in BEFORE
    killed = state(alice)
    assert (killed == before) is not is_all
    Job.objects.filter(state="running").update(lease_until="2020-01-01T00:00Z")
    assert process(tmp_path) == 0
    after = state(alice)
    assert after[1] == {"Places": {"Home": "Berlin"}}
    assert after[2] == ["The invoices come on Mondays."]
    assert after[3:] == (1, 2, 2, 1, 2, 3)
    if is_all:
        assert killed == after
    assert process(tmp_path) == 0
    assert state(alice) == after
    assert not SynthesisRun.objects.exclude(state="done").exists()


@pytest.mark.requirement("TS-34")
@pytest.mark.django_db(transaction=True)
def test_two_processors_never_work_in_the_same_observation():
    porter = make_agent()
    owners = [owner_of(porter, user) for user in ("alice", "bob", "charlie")]
    for owner in owners:
        for place in range(6):
            observed(owner, f"Fact number {place}.", "learned_fact", days=place)
    jobs = [request_synthesis(owner.pk) for owner in owners]
    errors = [None] * 4

    def work() -> None:
        try:
            for job in jobs:
                run_job(job)
            errors.pop()
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert not ContextEvent.objects.waiting().exists()
    assert Counter(SynthesisRun.objects.values_list("state", flat=True)) == {"done": 3}
    named = [item["id"] for receipt in Receipt.objects.all() for item in receipt.items]
    assert sorted(named) == sorted(str(event.pk) for event in ContextEvent.objects.all())
    assert [len(learned(owner)) for owner in owners] == [6, 6, 6]


@pytest.mark.requirement("TS-34")
@pytest.mark.django_db(transaction=True)
def test_what_another_processor_holds_is_not_claimed():
    alice = owner_of(make_agent())
    held, free = observed(alice, "One."), observed(alice, "Two.")
    job = queue.claim(request_synthesis(alice.pk))
    is_locked, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(ContextEvent.objects.select_for_update().filter(pk=held.pk))
            is_locked.set()
            may_go.wait(20)
        connection.close()

    other = threading.Thread(target=hold)
    other.start()
    is_locked.wait(20)
    found = claim(job, alice)
    may_go.set()
    other.join()

    assert [event.pk for event in found.events] == [free.pk]

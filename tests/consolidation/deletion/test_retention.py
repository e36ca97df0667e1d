"""What is kept for a time only goes when the time is over, and may be said again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from consolidation.deletion.retention import let_go
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import ContextEvent
from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import (
    ChangeItem,
    Changeset,
    ContextDocument,
    Fact,
    LearnedInfo,
    Scaffold,
    ScaffoldEntry,
    Tombstone,
    UserNarrative,
)
from tests.factories import make_agent, make_session

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - timedelta(days=40)
ILL, FINE = "She was diagnosed with diabetes.", "She likes trout."


@pytest.fixture
def alice(porter):
    porter.sensitive_days = 30
    porter.save()
    return make_session(porter).owner


def put(owner, *texts):
    ids = put_documents(owner=owner, documents=[NewDocument(text) for text in texts])
    ContextDocument.objects.filter(pk__in=ids).update(created_at=LONG_AGO)
    return ids


def fact(owner, **fields) -> Fact:
    given = {
        "category": "context",
        "subject_type": "User",
        "subject": "user",
        "predicate": "KNOWS",
        "object_type": "Concern",
        "object": "trout",
        "evidence_quote": FINE,
        "confidence": "high",
        "write_timing": "immediate",
        "write_reason": "llm_policy",
        "policy_version": "1",
    }
    made = Fact.objects.create(owner=owner, **given | fields)
    Fact.objects.filter(pk=made.pk).update(created_at=LONG_AGO)
    return made


def test_sensitive_documents_go_and_the_others_stay(alice):
    put(alice, ILL, FINE)

    assert let_go(alice, now=timezone.now()) == 1

    assert [row.content for row in ContextDocument.objects.all()] == [FINE]


def test_what_is_put_is_marked(alice):
    put(alice, ILL, FINE)

    marks = dict(ContextDocument.objects.values_list("content", "is_sensitive"))
    assert marks == {ILL: True, FINE: False}


def test_a_young_one_stays(alice):
    put(alice, ILL)
    ContextDocument.objects.update(created_at=timezone.now())

    assert let_go(alice, now=timezone.now()) == 0


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({"category": "loss"}, True),
        ({"category": "trigger"}, True),
        ({"evidence_quote": ILL}, True),
        ({"object": "diabetes"}, True),
        ({}, False),
        ({"category": "loss", "is_pinned": True}, False),
    ],
)
def test_sensitive_facts_go_unless_they_are_pinned(alice, fields, goes):
    fact(alice, **fields)

    let_go(alice, now=timezone.now())

    assert Fact.objects.exists() is not goes


def test_no_word_and_no_tombstone_is_left(alice):
    gone = fact(alice, evidence_quote=ILL)
    made = Changeset.objects.create(owner=alice, origin="turn", run_key="1")
    ChangeItem.objects.create(
        changeset=made,
        place=0,
        kind="fact",
        act="add",
        target=gone.pk,
        after={"object": ILL},
        quote=ILL,
        code="x",
        state="waiting",
    )
    ContextEvent.objects.create(
        owner=alice,
        organization=alice.agent.organization,
        event_type="fact",
        content=ILL,
        key=f"fact:{gone.pk}",
        processed=True,
        observed_at=LONG_AGO,
    )

    let_go(alice, now=timezone.now())

    assert not Tombstone.objects.exists()
    items = ChangeItem.objects.all()
    assert all((one.before, one.after, one.quote) == (None, None, "") for one in items)
    assert items.get(changeset=made).state == "rejected"
    (round_,) = Changeset.objects.filter(origin="retention")
    assert round_.items.get().target == gone.pk
    assert ContextEvent.objects.get().content == ""


def test_the_same_may_be_said_again(alice):
    put(alice, ILL)
    let_go(alice, now=timezone.now())

    assert put(alice, ILL)
    assert ContextDocument.objects.count() == 1


def test_the_picture_loses_what_is_over(alice):
    old, young = LONG_AGO.isoformat(), timezone.now().isoformat()
    fresh = "Her migraine is new."
    UserNarrative.objects.create(
        owner=alice,
        text=f"{ILL} {FINE} {fresh}",
        statements=[
            {"text": ILL, "since": old, "confirmed_at": old},
            {"text": FINE, "since": old, "confirmed_at": old},
            {"text": fresh, "since": young, "confirmed_at": young},
        ],
    )
    Scaffold.objects.create(owner=alice, data={"Health": "diabetes", "Pet": "cat"})
    for path, is_sensitive in (("/Health", True), ("/Pet", False)):
        ScaffoldEntry.objects.create(
            owner=alice,
            path=path,
            confidence=0.5,
            channel="interactive",
            is_sensitive=is_sensitive,
            observed_at=LONG_AGO,
        )
    LearnedInfo.objects.create(owner=alice, items=["has diabetes", "has a cat"])
    LearnedInfo.objects.update(updated_at=LONG_AGO)

    assert let_go(alice, now=timezone.now()) == 3

    assert UserNarrative.objects.get().text == f"{FINE} {fresh}"
    assert Scaffold.objects.get().data == {"Pet": "cat"}
    assert LearnedInfo.objects.get().items == ["has a cat"]
    assert not Tombstone.objects.exists()
    assert set(Changeset.objects.values_list("origin", flat=True)) == {"retention"}
    assert let_go(alice, now=timezone.now()) == 0


def test_what_is_of_no_use_is_forgotten(porter):
    porter.forget_days = 30
    porter.save()
    alice = make_session(porter).owner
    put(alice, "one", "two")
    ContextDocument.objects.filter(content="two").update(last_used_at=timezone.now())

    assert let_go(alice, now=timezone.now()) == 1

    assert ContextDocument.objects.get().content == "two"


def test_nothing_goes_where_nothing_is_set(alice):
    clerk = make_session(make_agent("clerk")).owner
    put(clerk, ILL)
    put(alice, ILL)
    ContextDocument.objects.update(created_at=LONG_AGO)

    run_job(queue.enqueue(kind="retention", key="periodic"))

    assert ContextDocument.objects.get().owner == clerk

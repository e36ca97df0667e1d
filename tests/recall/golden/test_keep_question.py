from uuid import UUID, uuid4

import pytest

from accounts.errors import ErasureUnderWay, IdempotencyConflict
from accounts.models import Owner
from audit.models import AuditEntry
from memory.models import Chunk
from memory.muting import mute
from recall.errors import ExpectedUnknown, GoldenUnfit, GoldenUnknown
from recall.golden.keeping import drop_question, keep_question, keep_receipt
from recall.models import GoldenQuestion, Receipt
from tests.factories import make_ended_session
from tests.recall.golden.asked import QUERY, TEXTS, event_of, receipt_of


@pytest.fixture
def owner(porter):
    return make_ended_session(porter, TEXTS).owner


def keep(owner, *expected: UUID, query: str = QUERY, **options):
    return keep_question(owner=owner, query=query, expected=expected, actor="test", **options)


def test_a_receipt_s_first_results_are_what_should_come(owner):
    receipt = receipt_of(owner)

    kept = keep_receipt(receipt=receipt, actor="test", note="spring")

    assert kept.is_new
    assert kept.question.expected == [event_of(TEXTS[0]).pk]
    assert (kept.question.query, kept.question.receipt, kept.question.note) == (
        QUERY,
        receipt,
        "spring",
    )
    assert AuditEntry.objects.get(action="golden.keep").subject == f"{owner.pk}/{kept.question.pk}"


def test_five_results_are_taken_unless_some_are_named(porter):
    owner = make_ended_session(porter, [f"Tomato number {n} is red." for n in range(8)]).owner
    receipt = receipt_of(owner, "which tomato is red?")

    assert len(receipt.items) > 5
    assert len(keep_receipt(receipt=receipt, actor="test").question.expected) == 5


def test_results_stand_for_their_events(owner):
    chunk = Chunk.objects.get(text=TEXTS[1])

    kept = keep_receipt(receipt=receipt_of(owner), actor="test", expected=[chunk.pk])

    assert kept.question.expected == [event_of(TEXTS[1]).pk]


def test_results_and_events_are_named_side_by_side_and_counted_once(owner):
    event, chunk = event_of(TEXTS[0]), Chunk.objects.get(text=TEXTS[0])

    assert keep(owner, event.pk, chunk.pk, event.pk).question.expected == [event.pk]


def test_the_same_question_is_replaced_and_not_doubled(owner):
    first = keep(owner, event_of(TEXTS[0]).pk)

    second = keep(owner, event_of(TEXTS[1]).pk)

    assert (first.is_new, second.is_new) == (True, False)
    assert GoldenQuestion.objects.get().expected == [event_of(TEXTS[1]).pk]


def test_a_long_question_has_its_place_too(owner):
    query = "tomatoes " * 400

    keep(owner, event_of(TEXTS[0]).pk, query=query)

    assert not keep(owner, event_of(TEXTS[1]).pk, query=query).is_new


@pytest.mark.parametrize("user", ["bob", "rival"])
def test_what_is_somebody_else_s_cannot_be_expected(owner, porter, rival, user):
    agent = rival if user == "rival" else porter
    make_ended_session(agent, ["A secret."], user=user)

    for stranger in (event_of("A secret.").pk, Chunk.objects.get(text="A secret.").pk, uuid4()):
        with pytest.raises(ExpectedUnknown):
            keep(owner, event_of(TEXTS[0]).pk, stranger)
    assert not GoldenQuestion.objects.exists()


def test_what_was_forgotten_cannot_be_expected(owner):
    event, chunk = event_of(TEXTS[0]), Chunk.objects.get(text=TEXTS[0])
    receipt = receipt_of(owner)
    mute(owner=owner, by=uuid4(), events=[event.pk], chunks=[chunk.pk])

    for forgotten in (event.pk, chunk.pk):
        with pytest.raises(ExpectedUnknown):
            keep(owner, forgotten)
    with pytest.raises(GoldenUnfit, match="no passage"):
        keep_receipt(receipt=receipt, actor="test")


@pytest.mark.parametrize(
    ("query", "note"), [("  ", ""), ("x" * 4_001, ""), ("x", "y" * 501), ("x", "\0")]
)
def test_what_is_no_question_is_refused(owner, query, note):
    with pytest.raises(GoldenUnfit):
        keep(owner, event_of(TEXTS[0]).pk, query=query, note=note)


def test_more_than_fifty_events_are_refused(porter):
    owner = make_ended_session(porter, [f"Line {n}." for n in range(51)]).owner

    with pytest.raises(GoldenUnfit, match="51"):
        keep(owner, *(chunk.pk for chunk in Chunk.objects.all()))


def test_a_synthesis_asked_nothing(owner):
    receipt = Receipt.objects.create(
        owner=owner, kind="synthesis", items=[{"id": str(uuid4())}], query=""
    )

    with pytest.raises(GoldenUnfit, match="no question"):
        keep_receipt(receipt=receipt, actor="test", expected=[event_of(TEXTS[0]).pk])


def test_a_repetition_changes_nothing(owner):
    event = event_of(TEXTS[0]).pk
    first = keep(owner, event, request_key="once")

    again = keep(owner, event, request_key="once")

    assert (again.question, again.is_new) == (first.question, False)
    assert AuditEntry.objects.filter(action="golden.keep").count() == 1
    with pytest.raises(IdempotencyConflict):
        keep(owner, event_of(TEXTS[1]).pk, request_key="once")


def test_a_repetition_brings_no_dropped_question_back(owner):
    event = event_of(TEXTS[0]).pk
    drop_question(question=keep(owner, event, request_key="once").question, actor="test")

    with pytest.raises(GoldenUnknown):
        keep(owner, event, request_key="once")
    assert not GoldenQuestion.objects.exists()


def test_nothing_is_recorded_of_whoever_is_being_erased(owner):
    event = event_of(TEXTS[0]).pk
    Owner.objects.filter(pk=owner.pk).update(erasure=uuid4())

    with pytest.raises(ErasureUnderWay):
        keep(owner, event)

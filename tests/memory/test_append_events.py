import threading
from dataclasses import replace

import pytest
from django.db import connection

from consolidation.intake.accept import accept_events, end_session
from memory.errors import SessionClosed
from memory.events import append_events, verify_chain
from memory.hashing import FIRST, commitment, event_hash
from memory.models import Event
from tests.factories import make_agent, make_session, said


def core(text: str):
    return replace(said(text), lane="core")


def test_it_numbers_each_lane_from_one_without_gaps(porter):
    session = make_session(porter)

    append_events(session=session, drafts=[said("one"), core("two"), said("three")])
    append_events(session=session, drafts=[said("four")])

    places = Event.objects.in_order().values_list("lane", "seq")
    assert list(places) == [("core", 1), ("edge", 1), ("edge", 2), ("edge", 3)]


@pytest.mark.requirement("CH-16")
def test_a_hash_follows_from_the_stored_row(porter):
    session = make_session(porter)
    append_events(session=session, drafts=[said("one"), said("two")])

    first, second = Event.objects.order_by("seq")

    bound = commitment(bytes(first.salt or b""), first.payload)
    recomputed = event_hash(
        session=session.pk,
        lane="edge",
        seq=1,
        kind="UserMsg",
        commitment=bound,
        prev_hash=FIRST,
    )
    assert bytes(first.hash) == recomputed
    assert bytes(second.prev_hash) == recomputed
    assert first.reference == f"ev-{recomputed.hex()[:32]}"


def test_one_event_and_a_batch_make_the_same_chain(porter):
    session = make_session(porter)

    for drafts in ([said("one")], [said("two"), core("three")], [core("four")], [said("five")]):
        append_events(session=session, drafts=drafts)

    places = Event.objects.in_order().values_list("lane", "seq")
    assert list(places) == [("core", 1), ("core", 2), ("edge", 1), ("edge", 2), ("edge", 3)]
    assert verify_chain(session) == []


@pytest.mark.parametrize("texts", [["one"], ["one", "two"]])
def test_what_it_returns_is_what_is_stored(porter, texts):
    session = make_session(porter)

    returned = append_events(session=session, drafts=[said(text) for text in texts])

    fields = [field.attname for field in Event._meta.concrete_fields]
    stored = Event.objects.order_by("seq").values_list(*fields)
    assert [tuple(getattr(event, name) for name in fields) for event in returned] == list(stored)


def test_it_refuses_a_session_that_has_ended(porter):
    session = make_session(porter)
    end_session(session=session, reason="explicit")

    for drafts in ([said("late")], [said("too"), said("late")]):
        with pytest.raises(SessionClosed):
            append_events(session=session, drafts=drafts)

    assert not Event.objects.exists()


@pytest.mark.requirement("CH-07")
@pytest.mark.django_db(transaction=True)
def test_writers_at_once_leave_one_chain():
    porter = make_agent()
    session = make_session(porter)

    def write(number: int) -> None:
        try:
            for place in range(5):
                accept_events(
                    agent=porter, session=session, drafts=[said(f"{number} {place}")], key=None
                )
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    seqs = Event.objects.order_by("seq").values_list("seq", flat=True)
    assert list(seqs) == list(range(1, 41))
    assert verify_chain(session) == []


@pytest.mark.django_db
def test_no_index_holds_what_every_event_changes():
    with connection.cursor() as cursor:
        cursor.execute("select indexdef from pg_indexes where tablename = 'memory_session'")
        found = [definition for (definition,) in cursor.fetchall()]

    assert found
    assert not [definition for definition in found if "last_event_at" in definition]

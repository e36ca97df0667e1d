"""Single texts that were learned of a person: shown with where they are from, corrected, forgotten."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from consolidation.edits.documents import change_document
from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import ChangeItem, Changeset, ContextDocument
from tests.consolidation.profile.observed import observed
from tests.factories import make_session
from tests.inspector.person.people import HOSTILE, make_person

pytestmark = pytest.mark.django_db
SEATS = "Prefers window seats."


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


def keep(owner, content=SEATS, **fields) -> ContextDocument:
    (pk,) = put_documents(owner=owner, documents=[NewDocument(content, **fields)])
    return ContextDocument.objects.get(pk=pk)


def show(client, owner, **query) -> str:
    answer = client.get(reverse("memory-learned", args=(owner.pk,)), query)
    assert answer.status_code == 200
    return answer.content.decode().split("<main")[1]


def post(client, name, owner, /, *args, **fields):
    return client.post(reverse(name, args=(owner.pk, *args)), fields, follow=True)


def correct(client, owner, row, content):
    return post(client, "memory-learned-correct", owner, row.pk, content=content)


def test_a_text_is_shown_with_where_it_is_from_and_found_by_its_words(client, alice):
    assert "Nothing was learned besides yet." in show(client, alice)
    talk = make_session(alice.agent, alice.key)
    said = observed(alice, "I like to sit at the window.")
    said.source_metadata |= {"session_id": str(talk.pk)}
    said.save()
    row = keep(alice, events=(str(said.pk),))
    ContextDocument.objects.filter(pk=row.pk).update(last_used_at=timezone.now())
    keep(alice, f"Has a boat. {HOSTILE}", source="user_provided")
    keep(alice, "A lease.", source="tool_extracted_content")

    page = show(client, alice)

    for part in (
        SEATS,
        "I like to sit at the window.",
        "from a conversation",
        "8 May 2026",
        reverse("session", args=(talk.pk,)),
        "concluded by the agent",
        "observed once",
        "last used",
        "given by the agent",
        "not used yet",
    ):
        assert part in page
    assert "A lease." not in page
    assert "<script>alert" not in page
    assert "boat" not in show(client, alice, q="window \0")
    assert "Nothing matches." in show(client, alice, q="zebra")


def test_a_text_is_corrected_as_it_was_seen_and_the_correction_taken_back(client, alice):
    row = keep(alice, events=("x",))

    done = correct(client, alice, row, " Prefers the aisle. ").content.decode()

    (now,) = ContextDocument.objects.all()
    assert (now.content, now.source, now.events) == ("Prefers the aisle.", "user_provided", [])
    assert "You corrected this on" in done
    assert f"<s>{SEATS}</s>" in done
    late = correct(client, alice, row, "Prefers to stand.")
    assert late.status_code == 409
    assert "Prefers the aisle." in late.content.decode()
    assert "Prefers to stand.</textarea>" in late.content.decode()
    assert reverse("memory-learned-correct", args=(alice.pk, now.pk)) in late.content.decode()

    made = Changeset.objects.get(origin="person")
    back = post(client, "memory-undo", alice, made.pk, page="learned").content.decode()

    assert "Taken back." in back
    (again,) = ContextDocument.objects.all()
    assert (again.pk, again.content, again.created_at) == (row.pk, SEATS, row.created_at)
    assert correct(client, alice, again, SEATS).status_code == 200
    assert "is empty" in correct(client, alice, again, " ").content.decode()
    assert correct(client, alice, again, "a\0b").status_code == 400
    assert ContextDocument.objects.get().pk == row.pk
    assert "Changed by you" in client.get(f"/memory/{alice.pk}/timeline/").content.decode()


def test_an_earlier_correction_is_not_taken_back_below_a_later_one(client, alice):
    row = keep(alice)
    second = change_document(owner=alice, id=row.pk, content="Prefers the aisle.", actor="alice")
    change_document(owner=alice, id=second, content="Prefers to stand.", actor="alice")
    first = Changeset.objects.filter(origin="person").earliest("created_at")

    page = post(client, "memory-undo", alice, first.pk, page="learned").content.decode()

    assert "has changed again since" in page
    assert ContextDocument.objects.get().content == "Prefers to stand."


def test_a_text_is_forgotten_with_what_it_said_before_and_not_learned_again(client, alice):
    row = keep(alice)
    keep(alice, "Prefers the aisle.", filename="a.txt")
    correct(client, alice, row, "Prefers the aisle.")
    now = ContextDocument.objects.get(source="user_provided")

    asked = post(client, "memory-learned-forget", alice, now.pk).content.decode()
    assert all(one in asked for one in ("Forget this?", f"before: {SEATS}", "kept 1 more times"))
    assert ContextDocument.objects.count() == 2
    done = post(client, "memory-learned-forget", alice, now.pk, confirm="yes").content.decode()

    assert "Forgotten. Nothing brings it back." in done
    assert not ContextDocument.objects.exists()
    assert set(ChangeItem.objects.values_list("before", "after")) == {(None, None)}
    for text in (SEATS, "prefers the AISLE"):
        assert put_documents(owner=alice, documents=[NewDocument(text)]) == []
    again = post(client, "memory-learned-forget", alice, now.pk, confirm="yes").content.decode()
    assert "Nothing was forgotten" in again
    assert correct(client, alice, now, "x").status_code == 404
    other = keep(alice, "Likes tea.")
    refused = correct(client, alice, other, SEATS).content.decode()
    assert "deleted for good" in refused


def test_the_page_asks_as_often_for_many_as_for_one(client, alice):
    def count(number):
        for place in range(number):
            keep(alice, f"Text {number} {place}.", events=(str(observed(alice, "said").pk),))
        with CaptureQueriesContext(connection) as asked:
            show(client, alice)
        return len(asked)

    few = count(2)
    assert count(30) == few <= 14

"""V keeps each text with its metadata once, for one person as one agent knows them."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.db import connection, transaction

from accounts.errors import OwnerMissing
from accounts.ids import new_id
from accounts.models import Connection
from accounts.owners import agent_owner, resolve_owner
from knowledge.documents.context import (
    DocumentMetadata,
    NewDocument,
    document_id,
    forget_document,
    put_documents,
)
from knowledge.errors import ConnectionUnknown, ContextUnfit, DocumentUnknown
from knowledge.models import ContextDocument
from tests.factories import make_agent

FIXED = DocumentMetadata(
    context_type="user_persistent",
    user_id="01a1fc16-b108-7283-92fb-dd5eeee93618",
    source="system_learned",
    org_id=UUID("01a1fc16-b108-7283-92fb-dd5eeee93619"),
)
TEXT = "Prefers window seats."


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


@pytest.fixture
def bob(porter):
    return resolve_owner(agent=porter, user="bob")


def kept() -> list[str]:
    return sorted(ContextDocument.objects.values_list("content", flat=True))


@pytest.mark.requirement("TS-60")
def test_the_id_of_a_text_and_its_metadata_never_changes():
    assert document_id(TEXT, FIXED) == UUID("efef23c0-e15f-520a-9461-faae2784b438")
    agent = UUID("01a1fc16-b108-7283-92fb-dd5eeee93620")
    assert document_id(TEXT, FIXED, agent=agent) == UUID("378d94f9-be26-5e30-9cc7-07e740ef1606")


@pytest.mark.parametrize(
    "field",
    ["context_type", "user_id", "source", "tool_id", "message_id", "attachment_id", "filename"],
)
def test_each_field_of_the_metadata_is_part_of_the_id(field):
    fields: dict = {field: "x"}

    assert document_id(TEXT, replace(FIXED, **fields)) != document_id(TEXT, FIXED)


@pytest.mark.requirement("TS-60")
def test_the_same_twice_leaves_one(alice):
    first = put_documents(owner=alice, documents=[NewDocument(TEXT), NewDocument(TEXT)])

    again = put_documents(owner=alice, documents=[NewDocument(TEXT)])

    assert (len(first), again, ContextDocument.objects.count()) == (1, first, 1)


@pytest.mark.requirement("TS-60")
def test_the_same_text_with_other_metadata_is_another_document(alice):
    put_documents(owner=alice, documents=[NewDocument(TEXT), NewDocument(TEXT, tool_id="mail")])

    assert kept() == [TEXT, TEXT]


@pytest.mark.requirement("TS-51")
def test_two_users_and_two_agents_never_share_a_document(porter, alice, bob):
    others = [alice, bob, resolve_owner(agent=make_agent("baker"), user="alice")]
    others += [resolve_owner(agent=porter, thread="alice"), agent_owner(porter)]

    ids = [put_documents(owner=one, documents=[NewDocument(TEXT)])[0] for one in others]

    assert len(set(ids)) == len(others)
    assert [ContextDocument.objects.get(pk=id).owner for id in ids] == others


def test_a_thread_named_like_a_person_is_not_that_person(porter, alice):
    thread = resolve_owner(agent=porter, thread=str(alice.user_id))

    (first,) = put_documents(owner=alice, documents=[NewDocument(TEXT)])
    (second,) = put_documents(owner=thread, documents=[NewDocument(TEXT)])

    assert first != second


@pytest.mark.requirement("TS-51")
@pytest.mark.django_db
def test_it_refuses_a_document_that_is_nobodys():
    with pytest.raises(OwnerMissing):
        put_documents(owner=None, documents=[NewDocument(TEXT)])
    with pytest.raises(OwnerMissing):
        replace(FIXED, user_id="")


@pytest.mark.requirement("TS-49", "TS-62")
def test_it_keeps_the_original_text_in_the_one_collection(alice):
    text = "  Ärger mit  dem Chef.\n"
    put_documents(owner=alice, documents=[NewDocument(text)])

    with connection.cursor() as cursor:
        cursor.execute("select content from toolstream_context")
        assert cursor.fetchall() == [(text,)]


@pytest.mark.requirement("TS-52", "TS-53", "TS-54", "TS-56")
def test_it_keeps_the_links_of_an_attachment(alice):
    mail = Connection.objects.create(owner=alice, tool="mail")
    put_documents(
        owner=alice,
        documents=[
            NewDocument(
                TEXT,
                context_type="tool_attachment_content",
                source="tool_extracted_content",
                tool_id="mail",
                connection=mail.pk,
                message_id="m-1",
                attachment_id="a-1",
                filename="seats.pdf",
            )
        ],
    )

    row = ContextDocument.objects.get()
    assert (row.tool_id, row.connection, row.message_id) == ("mail", mail, "m-1")
    assert (row.attachment_id, row.filename) == ("a-1", "seats.pdf")
    assert row.org_id == alice.agent.organization_id


@pytest.mark.requirement("TS-50")
@pytest.mark.parametrize("context_type", ContextDocument.ContextType.values)
def test_it_takes_each_context_type(alice, context_type):
    assert put_documents(owner=alice, documents=[NewDocument(TEXT, context_type=context_type)])


@pytest.mark.requirement("TS-55")
@pytest.mark.parametrize("source", ContextDocument.Source.values)
def test_it_takes_each_source(alice, source):
    assert put_documents(owner=alice, documents=[NewDocument(TEXT, source=source)])


@pytest.mark.requirement("TS-50", "TS-55")
@pytest.mark.parametrize(
    "document",
    [
        NewDocument(TEXT, context_type="mood"),
        NewDocument(TEXT, source="rumour"),
        NewDocument(" \n"),
        NewDocument("a\x00b"),
        NewDocument("ä" * 32_769),
    ],
)
def test_it_refuses_what_cannot_be_kept_and_keeps_nothing_of_the_batch(alice, document):
    with pytest.raises(ContextUnfit):
        put_documents(owner=alice, documents=[NewDocument("fine"), document])

    assert kept() == []


@pytest.mark.requirement("TS-54")
def test_it_refuses_a_connection_of_somebody_else(alice, bob):
    theirs = Connection.objects.create(owner=bob, tool="mail")

    for unknown in (theirs.pk, new_id()):
        with pytest.raises(ConnectionUnknown):
            put_documents(owner=alice, documents=[NewDocument(TEXT, connection=unknown)])


def test_it_joins_the_transaction_of_its_caller(alice):
    with transaction.atomic():
        put_documents(owner=alice, documents=[NewDocument(TEXT)])
        transaction.set_rollback(True)

    assert kept() == []


def test_what_was_deleted_is_not_kept_again(alice, bob):
    documents = [NewDocument(TEXT), NewDocument(TEXT, tool_id="mail"), NewDocument("Has a dog.")]
    ids = put_documents(owner=alice, documents=documents)
    put_documents(owner=bob, documents=[NewDocument(TEXT)])

    forget_document(owner=alice, id=ids[0])

    assert kept() == ["Has a dog.", TEXT]
    again = [NewDocument("prefers  WINDOW seats"), NewDocument("Has a dog.")]
    assert put_documents(owner=alice, documents=again) == [ids[2]]
    assert kept() == ["Has a dog.", TEXT]


def test_a_document_of_somebody_else_cannot_be_deleted(alice, bob):
    (theirs,) = put_documents(owner=bob, documents=[NewDocument(TEXT)])

    for owner in (alice, None):
        with pytest.raises(DocumentUnknown):
            forget_document(owner=owner, id=theirs)

    assert kept() == [TEXT]

"""A deletion and a second keeping of the same text at the same time: the deletion stands."""

from threading import Thread

import pytest
from django.db import connection, transaction

from accounts.owners import resolve_owner
from knowledge.documents.context import NewDocument, forget_document, put_documents
from knowledge.models import ContextDocument
from tests.factories import make_agent

TEXT = "Prefers window seats."


@pytest.mark.django_db(transaction=True)
def test_what_is_kept_while_it_is_deleted_is_not_there_afterwards():
    alice = resolve_owner(agent=make_agent("porter"), user="alice")
    (id,) = put_documents(owner=alice, documents=[NewDocument(TEXT)])
    kept: list[list] = []

    def keep() -> None:
        try:
            kept.append(put_documents(owner=alice, documents=[NewDocument(TEXT, tool_id="mail")]))
        finally:
            connection.close()

    other = Thread(target=keep)
    with transaction.atomic():
        forget_document(owner=alice, id=id)
        other.start()
        other.join(timeout=0.5)
        assert other.is_alive()
    other.join(timeout=10)

    assert kept == [[]]
    assert not ContextDocument.objects.exists()

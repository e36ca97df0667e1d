"""Writers of one owner at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.models import Sum

from accounts.owners import agent_owner
from knowledge.documents.agent import delete_document, put_document
from knowledge.errors import DocumentChanged
from knowledge.models import KnowledgeDocument, KnowledgeIndex
from memory.models import Posting, Term
from tests.factories import make_agent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner():
    return agent_owner(make_agent("porter"))


def together(*acts: Callable[[], object]) -> list[object]:
    """Run all at once, each on a connection of its own; a DocumentChanged is its result."""

    def run(act: Callable[[], object]) -> object:
        try:
            return act()
        except DocumentChanged as fault:
            return fault
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def put(owner, content, **fields):
    return lambda: put_document(owner=owner, content=content, language="english", **fields)


def is_whole(owner) -> bool:
    """Say whether the index counts exactly what is posted, and what is posted exactly what is there."""
    index = KnowledgeIndex.objects.get(owner=owner)
    posted = set(Posting.objects.values_list("document", flat=True))
    return (
        index.documents == KnowledgeDocument.objects.count()
        and index.terms == (Posting.objects.aggregate(all=Sum("count"))["all"] or 0)
        and posted == set(KnowledgeDocument.objects.values_list("number", flat=True))
        and all(
            term.documents == Posting.objects.filter(term=term.term).count()
            for term in Term.objects.all()
        )
    )


def test_one_key_is_one_document_however_many_write_it(owner):
    together(*[put(owner, f"train number {n} and more", key="trains") for n in range(6)])

    found = KnowledgeDocument.objects.get()
    assert found.version == 6
    assert is_whole(owner)


def test_of_writers_that_saw_one_version_one_wins(owner):
    put(owner, "first", key="k")()

    results = together(*[put(owner, f"second {n}", key="k", expected=1) for n in range(4)])

    assert sum(isinstance(result, DocumentChanged) for result in results) == 3
    assert KnowledgeDocument.objects.get().version == 2
    assert is_whole(owner)


def test_writers_and_deleters_leave_the_index_whole(owner):
    documents = [
        put(owner, f"shared words and number {n}", key=f"k{n}")().document for n in range(4)
    ]

    together(
        *[lambda one=one: delete_document(owner=owner, id=one.pk) for one in documents[:2]],
        *[put(owner, f"other shared words {n}", key=f"k{n}") for n in range(2, 6)],
    )

    assert KnowledgeDocument.objects.count() == 4
    assert is_whole(owner)

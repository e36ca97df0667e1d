import pytest

from accounts.owners import agent_owner
from consolidation.edits.own import forget_knowledge
from consolidation.embedding.documents import keep_document
from knowledge.documents.agent import delete_document, find_document
from knowledge.errors import DocumentChanged, DocumentUnknown, DocumentUnnamed
from knowledge.models import KnowledgeDocument, KnowledgeEmbedding, KnowledgeIndex
from memory.models import Posting, Term
from tests.factories import run_jobs


def keep(agent, content, **fields):
    return keep_document(agent=agent, actor="test", content=content, **fields).document


@pytest.mark.requirement("CH-64")
def test_nothing_that_it_was_found_by_is_left(porter):
    found = keep(porter, "Cats eat trout.", key="cats")
    run_jobs()
    assert KnowledgeEmbedding.objects.count() == 1

    forget_knowledge(agent=porter, actor="test", key="cats")

    assert found.number == 1
    for rows in (KnowledgeDocument, KnowledgeEmbedding, Posting, Term):
        assert not rows.objects.exists()
    assert KnowledgeIndex.objects.values_list("documents", "terms").get() == (0, 0)


def test_it_leaves_the_words_of_the_others(porter):
    keep(porter, "Cats eat trout.", key="cats")
    kept = keep(porter, "Dogs eat trout.", key="dogs")
    before = Posting.objects.filter(document=kept.number).count()

    forget_knowledge(agent=porter, actor="test", key="cats")

    assert Posting.objects.count() == before
    assert set(Term.objects.values_list("documents", flat=True)) == {1}


def test_a_number_is_never_given_again(porter):
    gone = keep(porter, "Cats eat trout.", key="cats")
    forget_knowledge(agent=porter, actor="test", id=gone.pk)

    assert keep(porter, "Cats eat trout.", key="cats").number == gone.number + 1


def test_it_finds_by_key_or_by_id_and_names_neither_s_absence(porter, rival):
    owner = agent_owner(porter)
    theirs = keep(rival, "theirs", key="k")

    for name in ({"key": "k"}, {"id": theirs.pk}, {"key": "\x00"}):
        with pytest.raises(DocumentUnknown):
            find_document(owner=owner, **name)
        with pytest.raises(DocumentUnknown):
            delete_document(owner=None, **name)
    with pytest.raises(DocumentUnnamed):
        delete_document(owner=owner)


def test_it_refuses_a_version_that_is_not_the_last(porter):
    keep(porter, "one", key="k")

    with pytest.raises(DocumentChanged):
        forget_knowledge(agent=porter, actor="test", key="k", expected=2)

    assert KnowledgeDocument.objects.exists()

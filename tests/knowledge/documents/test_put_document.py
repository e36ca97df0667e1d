import pytest

from accounts.owners import agent_owner
from knowledge.documents.agent import CONTENT_BYTES, find_document, put_document
from knowledge.errors import DocumentChanged, DocumentUnfit
from knowledge.models import KnowledgeDocument, KnowledgeIndex
from memory.models import Chunk, Posting, Term
from memory.models.document import Unit


@pytest.fixture
def owner(porter):
    return agent_owner(porter)


def put(owner, content, **fields):
    return put_document(owner=owner, content=content, language="english", **fields)


def words_of(owner) -> list[tuple]:
    terms = Term.objects.filter(owner=owner, unit=Unit.KNOWLEDGE)
    return sorted(terms.values_list("term", "documents"))


@pytest.mark.requirement("CH-64")
def test_a_new_key_inserts_and_a_known_key_updates(owner):
    first = put(owner, "Trains leave at nine.", key="trains")
    second = put(owner, "Trains leave at ten.", key="trains")

    assert (first.is_new, second.is_new) == (True, False)
    assert second.document.pk == first.document.pk
    assert KnowledgeDocument.objects.get().content == "Trains leave at ten."
    assert second.document.version == 2


def test_without_a_key_every_put_is_another_document(owner):
    put(owner, "Trains leave at nine.")
    put(owner, "Trains leave at nine.")

    assert KnowledgeDocument.objects.count() == 2
    assert sorted(KnowledgeDocument.objects.values_list("number", flat=True)) == [1, 2]


def test_what_changes_nothing_is_not_written(owner):
    first = put(owner, "Trains leave at nine.", key="trains", metadata={"a": 1}).document
    again = put(owner, "Trains leave at nine.", key="trains")

    assert not again.is_changed
    assert find_document(owner=owner, key="trains").updated_at == first.updated_at


def test_another_metadata_alone_is_a_version_and_no_new_vector(owner):
    put(owner, "Trains leave at nine.", key="trains", metadata={"a": 1})
    KnowledgeDocument.objects.update(embedding_state="done")

    put(owner, "Trains leave at nine.", key="trains", metadata={"a": 2})

    found = KnowledgeDocument.objects.get()
    assert (found.metadata, found.version, found.embedding_state) == ({"a": 2}, 2, "done")


def test_the_word_index_holds_what_stands_there_now_and_nothing_else(owner):
    put(owner, "Cats eat trout.", key="cats")
    put(owner, "Tea is in the left cupboard, behind the rice and the lentils.", key="kitchen")
    put(owner, "Cats eat salmon.", key="cats")
    changed, sizes = words_of(owner), KnowledgeIndex.objects.values_list("documents", "terms").get()
    postings = Posting.objects.filter(unit=Unit.KNOWLEDGE).count()
    KnowledgeDocument.objects.all().delete()
    KnowledgeIndex.objects.all().delete()
    Posting.objects.all().delete()
    Term.objects.all().delete()

    put(owner, "Cats eat salmon.", key="cats")
    put(owner, "Tea is in the left cupboard, behind the rice and the lentils.", key="kitchen")

    assert words_of(owner) == changed
    assert KnowledgeIndex.objects.values_list("documents", "terms").get() == sizes
    assert Posting.objects.filter(unit=Unit.KNOWLEDGE).count() == postings


@pytest.mark.requirement("CH-62")
def test_it_touches_no_table_of_sessions(owner):
    put(owner, "Trains leave at nine.", key="trains")

    assert not Chunk.objects.exists()
    assert KnowledgeDocument._meta.db_table != Chunk._meta.db_table


@pytest.mark.parametrize(
    ("key", "content"),
    [
        ("", "x"),
        (" a", "x"),
        ("a\n", "x"),
        ("k" * 201, "x"),
        ("k", ""),
        ("k", " \n "),
        ("k", "a\x00b"),
        ("k", "ä" * CONTENT_BYTES),
    ],
)
def test_it_refuses_what_cannot_be_kept(owner, key, content):
    with pytest.raises(DocumentUnfit):
        put(owner, content, key=key)

    assert not KnowledgeDocument.objects.exists()


def test_the_largest_content_is_kept_whatever_its_words(owner):
    """The stored tsvector has a limit of its own, which compound words reach first."""
    words = (f"a{n}-b{n}.c/d{n}" for n in range(CONTENT_BYTES))
    content = " ".join(words)[:CONTENT_BYTES]

    assert put(owner, content).document.pk


def test_it_refuses_a_version_that_is_not_the_last(owner):
    put(owner, "one", key="k", expected=0)
    put(owner, "two", key="k", expected=1)

    with pytest.raises(DocumentChanged) as caught:
        put(owner, "three", key="k", expected=1)

    assert caught.value.detail == {"version": 2}
    assert find_document(owner=owner, key="k").content == "two"


def test_the_same_key_of_another_agent_is_another_document(owner, rival):
    put(owner, "ours", key="k")
    put(agent_owner(rival), "theirs", key="k")

    assert find_document(owner=owner, key="k").content == "ours"

"""The LangGraph store beside LangGraph's own in memory: the same operations, the same answers."""

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from knowledge.models import KnowledgeDocument
from recollect.langgraph import RecollectStore, name_of
from recollect.matching import fits

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(memory) -> RecollectStore:
    return RecollectStore(memory)


def keys(found) -> set[tuple]:
    return {(one.namespace, one.key) for one in found}


def test_an_item_is_put_read_changed_and_deleted(store):
    store.put(("users", "alice"), "cat", {"name": "Miso", "age": 3, "toys": [{"a": None}]})
    first = store.get(("users", "alice"), "cat")
    store.put(("users", "alice"), "cat", {"name": "Momo"})
    second = store.get(("users", "alice"), "cat")
    store.delete(("users", "alice"), "cat")
    store.delete(("users", "alice"), "cat")

    assert first.value == {"name": "Miso", "age": 3, "toys": [{"a": None}]}
    assert (first.namespace, first.key) == (("users", "alice"), "cat")
    assert second.value == {"name": "Momo"}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    assert store.get(("users", "alice"), "cat") is None


def test_search_by_words_ranks_and_fills_up_with_the_rest(store):
    store.put(("docs",), "cat", {"text": "The cat is called Miso."})
    store.put(("docs",), "dog", {"text": "The dog is called Rex."})
    store.put(("docs",), "hidden", {"text": "The cat, again."}, index=False)
    store.put(("other",), "cat", {"text": "Another cat."})

    found = store.search(("docs",), query="cat Miso")

    assert found[0].key == "cat"
    assert found[0].score is not None
    assert {one.key: one.score for one in found}["hidden"] is None
    assert {one.key for one in found} == {"cat", "dog", "hidden"}
    assert [one.key for one in store.search(("docs",), query="cat Miso", limit=1)] == ["cat"]


def test_a_batch_reads_what_was_there_before_it(store):
    store.put(("a",), "k", {"v": 1})

    got, put, searched = store.batch(
        [GetOp(("a",), "k"), PutOp(("a",), "k", {"v": 2}), SearchOp(("a",))]
    )

    assert got.value == {"v": 1}
    assert put is None
    assert [one.value for one in searched] == [{"v": 1}]
    assert store.get(("a",), "k").value == {"v": 2}


def test_the_last_of_two_puts_in_a_batch_stays(store):
    store.batch([PutOp(("a",), "k", {"v": 1}), PutOp(("a",), "k", {"v": 2})])

    assert store.get(("a",), "k").value == {"v": 2}
    assert KnowledgeDocument.objects.get().version == 1


def test_it_works_asynchronously(store):
    async def run():
        await store.aput(("a",), "k", {"v": 1})
        found = await store.asearch(("a",))
        return await store.aget(("a",), "k"), found, await store.alist_namespaces()

    got, found, namespaces = anyio.run(run)

    assert got.value == {"v": 1}
    assert keys(found) == {(("a",), "k")}
    assert namespaces == [("a",)]


def test_more_than_a_page_is_listed(store, memory):
    for number in range(205):
        memory.remember(
            "{}",
            key=name_of(("many",), str(number)),
            metadata={
                "langgraph": {"namespace": ["many"], "key": str(number), "is_searched": True}
            },
        )
    memory.remember("Not an item.", key="lg:many/x")

    assert len(store.search(("many",), limit=1_000)) == 205


def test_odd_names_are_kept_apart(store):
    odd = [("a/b",), ("a", "b"), ("a b",), ("ä",), ("a" * 300,), ("a" * 300, "b"), ("%2F",)]
    for number, namespace in enumerate(odd):
        store.put(namespace, "k/.. %", {"v": number})

    assert [store.get(namespace, "k/.. %").value["v"] for namespace in odd] == [*range(len(odd))]
    assert [len(store.search(one)) for one in (("a",), ("a" * 300,), ("a/b",))] == [1, 2, 1]
    assert store.list_namespaces() == sorted(odd)


def test_what_it_cannot_do_is_said(store):
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"v": 1}, ttl=5)
    with pytest.raises(TypeError):
        store.batch([None])
    with pytest.raises(TypeError):
        store.put(("a",), "k", {"v": object()})
    with pytest.raises(ValueError, match="no operator"):
        fits(1, {"$like": 1})


LABELS = st.sampled_from(["a", "b", "c"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["x", "y", "z/1"])
LEAVES = st.sampled_from([1, 2.5, "red", True])
VALUES = st.dictionaries(
    st.sampled_from(["n", "m"]),
    st.one_of(LEAVES, st.lists(LEAVES, max_size=2), st.dictionaries(st.just("o"), LEAVES)),
    max_size=2,
)
OPERATORS = st.sampled_from(["$eq", "$ne"]).flatmap(lambda op: st.fixed_dictionaries({op: LEAVES}))
FILTERS = st.dictionaries(
    st.sampled_from(["n", "m"]), st.one_of(VALUES, LEAVES, OPERATORS), max_size=1
)
PATHS = st.lists(st.sampled_from(["a", "b", "*"]), max_size=2).map(tuple)
CONDITIONS = st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), PATHS)
OPS = st.one_of(
    st.builds(PutOp, NAMESPACES, KEYS, st.one_of(VALUES, st.none())),
    st.builds(GetOp, NAMESPACES, KEYS),
    st.builds(
        SearchOp,
        st.lists(LABELS, max_size=2).map(tuple),
        filter=st.one_of(st.none(), FILTERS),
        limit=st.just(100),
    ),
    st.builds(
        ListNamespacesOp,
        match_conditions=st.one_of(st.none(), st.lists(CONDITIONS, max_size=2).map(tuple)),
        max_depth=st.one_of(st.none(), st.integers(1, 3)),
        limit=st.just(100),
    ),
)


def seen(op, result):
    """Return an answer without what two stores cannot have in common: their clocks and their order."""
    if isinstance(op, SearchOp):
        return sorted((one.namespace, one.key, repr(one.value)) for one in result)
    if isinstance(op, GetOp):
        return result and (result.namespace, result.key, result.value)
    return result


@settings(max_examples=12)
@given(batches=st.lists(st.lists(OPS, max_size=5), max_size=5))
def test_it_answers_as_the_store_in_memory_does(store, batches):
    KnowledgeDocument.objects.all().delete()
    reference = InMemoryStore()
    for batch in batches:
        _prune(reference)
        assert [*map(seen, batch, store.batch(batch))] == [
            *map(seen, batch, reference.batch(batch))
        ]


def _prune(reference: InMemoryStore) -> None:
    """Drop the namespaces without items that the reference keeps from having been asked."""
    for namespace in [one for one, items in reference._data.items() if not items]:
        del reference._data[namespace]

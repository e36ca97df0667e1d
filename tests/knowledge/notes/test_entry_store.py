import math
import random
import threading
from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from rank_bm25 import BM25Okapi

from accounts.owners import resolve_owner
from knowledge.errors import (
    ContentUnfit,
    EntryExists,
    EntryUnknown,
    NameUnfit,
    OperationUnknown,
)
from knowledge.models import Entry, EntryIndex, EntryName, EntryTerm
from knowledge.notes.entries.operations import (
    Add,
    Alias,
    EntryKind,
    Remove,
    Rename,
    Write,
    operation_named,
)
from knowledge.notes.entries.tokens import entry_tokens, tokens
from knowledge.notes.store import apply_operation, find_entry, get_entry, search_entries
from tests.factories import make_agent, wait_for_locks


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def do(owner, *operations):
    return [apply_operation(owner=owner, operation=one) for one in operations]


def names(owner, query: str, **options) -> list[str]:
    hits = search_entries(owner=owner, query=query, limit=10, **options)
    return [hit.entry.name for hit in hits]


@pytest.mark.requirement("CT-37")
@pytest.mark.requirement("CT-07")
def test_add_keeps_name_content_and_kind(alice):
    do(alice, Add("pets", "One cat."), Add("trip-1", "They went.", EntryKind.ARCHIVE))

    note, archive = Entry.objects.order_by("number")
    assert (note.number, note.name, note.content, note.kind) == (1, "pets", "One cat.", "note")
    assert (archive.kind, archive.version) == ("archive", 1)
    assert note.created_at <= note.updated_at


@pytest.mark.requirement("CT-05")
@pytest.mark.requirement("CT-10")
@pytest.mark.parametrize(
    "operation",
    [Add("pets", "x"), Add("animals", "x"), Rename("work", "pets"), Alias("work", "animals")],
)
def test_a_taken_name_is_refused_whether_canonical_or_alias(alice, operation):
    do(alice, Add("pets", "cat"), Alias("pets", "animals"), Add("work", "desk"))

    with pytest.raises(EntryExists):
        do(alice, operation)

    assert Entry.objects.count() == 2
    assert EntryName.objects.count() == 3


@pytest.mark.requirement("CT-06")
@pytest.mark.requirement("CT-08")
@pytest.mark.requirement("CT-39")
def test_an_alias_finds_and_changes_the_entry(alice):
    do(alice, Add("pets", "cat"), Alias("pets", "animals"), Write("animals", "dog"))

    assert get_entry(owner=alice, name="animals").content == "dog"
    assert get_entry(owner=alice, name="pets").aliases == ["animals"]


@pytest.mark.requirement("CT-09")
@pytest.mark.requirement("CT-38")
def test_after_a_rename_both_names_resolve_and_search_follows_the_new_one(alice):
    do(alice, Add("feline", "eats trout"), Rename("feline", "kitty"))

    assert find_entry(owner=alice, name="feline").name == "kitty"
    assert names(alice, "kitty") == ["kitty"]
    assert names(alice, "feline") == []


def test_a_rename_back_makes_the_alias_canonical_again(alice):
    do(alice, Add("a1", "x"), Rename("a1", "b1"), Rename("b1", "a1"))

    found = get_entry(owner=alice, name="b1")
    assert (found.name, found.aliases, found.version) == ("a1", ["b1"], 3)


@pytest.mark.requirement("CT-40")
def test_write_replaces_the_content_and_nothing_else(alice):
    do(alice, Add("pets", "cat"), Alias("pets", "animals"))
    before = get_entry(owner=alice, name="pets")

    (applied,) = do(alice, Write("pets", "dog"))

    after = get_entry(owner=alice, name="pets")
    kept = ("pk", "number", "kind", "created_at", "aliases")
    assert all(getattr(after, name) == getattr(before, name) for name in kept)
    assert (applied.is_changed, after.content, after.version) == (True, "dog", 3)
    assert (names(alice, "cat"), names(alice, "dog")) == ([], ["pets"])


@pytest.mark.requirement("CT-04")
@pytest.mark.requirement("CT-41")
def test_remove_frees_all_names_and_no_number(alice):
    do(alice, Add("pets", "cat"), Alias("pets", "animals"), Remove("animals"))

    assert names(alice, "cat pets") == []
    assert not EntryTerm.objects.exists()
    assert do(alice, Add("animals", "x"), Add("pets", "y"))[1].entry.number == 3


@pytest.mark.requirement("CT-43")
@pytest.mark.parametrize(
    "operation", [Rename("no", "b1"), Alias("no", "b1"), Write("no", "x"), Remove("no")]
)
def test_what_is_missing_is_not_found_and_nothing_changes(alice, operation):
    do(alice, Add("a1", "x"))
    before = [list(model.objects.values()) for model in (Entry, EntryName, EntryTerm, EntryIndex)]

    with pytest.raises(EntryUnknown):
        do(alice, operation)

    assert before == [
        list(model.objects.values()) for model in (Entry, EntryName, EntryTerm, EntryIndex)
    ]


@pytest.mark.requirement("CT-42")
@pytest.mark.parametrize("operation", ["drop", None, ("Add", "a"), object()])
def test_there_are_five_operations_and_no_other(alice, operation):
    with pytest.raises(OperationUnknown):
        do(alice, operation)

    assert not Entry.objects.exists()
    with pytest.raises(OperationUnknown):
        operation_named(str(operation))


@pytest.mark.requirement("CT-44")
def test_operations_on_an_archive_work(alice):
    do(
        alice,
        Add("trip-1", "They went.", EntryKind.ARCHIVE),
        Alias("trip-1", "rome"),
        Write("rome", "They stayed."),
        Rename("trip-1", "stay"),
    )

    assert get_entry(owner=alice, name="rome").content == "They stayed."
    do(alice, Remove("stay"))
    assert find_entry(owner=alice, name="rome") is None


def test_what_is_so_already_changes_nothing(alice):
    do(alice, Add("a1", "x"), Alias("a1", "b1"))

    applied = do(alice, Alias("a1", "b1"), Alias("b1", "a1"), Write("a1", "x"), Rename("b1", "a1"))

    assert [one.is_changed for one in applied] == [False] * 4
    assert get_entry(owner=alice, name="a1").version == 2


@pytest.mark.requirement("CT-11")
@pytest.mark.parametrize("name", ["", " ", "a/b", "a\\b", "a\n", ".a", "a.", "a..b", "x" * 201])
def test_an_invalid_name_is_refused_at_every_binding(alice, name):
    do(alice, Add("good", "x"))

    for operation in (Add(name, "x"), Rename("good", name), Alias("good", name)):
        with pytest.raises(NameUnfit):
            do(alice, operation)
    assert list(EntryName.objects.values_list("name", flat=True)) == ["good"]


def test_a_content_that_cannot_be_kept_is_refused(alice):
    with pytest.raises(ContentUnfit):
        do(alice, Add("a1", "\x00"))
    with pytest.raises(ContentUnfit):
        do(alice, Add("a1", "\ud800"))

    do(alice, Add("empty", ""), Add("emoji", "🐈 我有猫"))

    assert get_entry(owner=alice, name="empty").content == ""
    assert names(alice, "我有猫") == ["emoji"]


@pytest.mark.requirement("CT-13")
@pytest.mark.requirement("CT-34")
@pytest.mark.requirement("CT-35")
def test_notes_and_archives_are_ranked_together(alice):
    do(
        alice,
        Add("one", "trout and much else that was said of the day", EntryKind.NOTE),
        Add("two", "trout trout", EntryKind.ARCHIVE),
        Add("three", "salmon"),
    )

    hits = search_entries(owner=alice, query="trout", limit=10)

    assert [hit.entry.name for hit in hits] == ["two", "one"]
    assert hits[0].score > hits[1].score > 0
    assert names(alice, "trout", kind=EntryKind.NOTE) == ["one"]
    assert len(search_entries(owner=alice, query="trout", limit=1)) == 1
    kept = search_entries(owner=alice, query="trout", limit=1, kind=EntryKind.NOTE)
    assert kept[0].score == hits[1].score


@pytest.mark.requirement("CT-33")
def test_a_name_is_searched_and_an_alias_is_not(alice):
    do(alice, Add("feline", "eats trout"), Alias("feline", "kitty"))

    assert (names(alice, "feline"), names(alice, "kitty")) == (["feline"], [])


def test_of_equals_the_older_comes_first(alice):
    do(alice, Add("b1", "trout salmon"), Add("a1", "salmon trout"), Write("b1", "trout  salmon"))

    assert names(alice, "salmon trout") == ["b1", "a1"]


def test_nobody_s_and_nothing_s_entries_are_none(alice):
    assert search_entries(owner=None, query="trout", limit=5) == []
    assert search_entries(owner=alice, query="the a !", limit=5) == []
    assert search_entries(owner=alice, query="trout", limit=5) == []
    assert find_entry(owner=None, name="a") is None
    assert find_entry(owner=alice, name="a\x00") is None


def test_each_owner_has_a_namespace(alice, porter):
    bob = resolve_owner(agent=porter, user="bob")
    do(alice, Add("pets", "trout"))

    do(bob, Add("pets", "salmon"))

    assert (names(alice, "salmon"), names(bob, "salmon")) == ([], ["pets"])


class Independent(BM25Okapi):  # type: ignore[misc]  # the library has no types
    """The library's scores with the idf that is never negative."""

    def _calc_idf(self, nd):
        for word, freq in nd.items():
            self.idf[word] = math.log((self.corpus_size - freq + 0.5) / (freq + 0.5) + 1)


def corpus() -> list[Add]:
    dice = random.Random(7)
    words = [f"word{number}" for number in range(60)]
    return [Add(f"word{n} n{n}", " ".join(dice.choices(words, k=n % 23))) for n in range(120)]


@pytest.mark.requirement("CT-32")
@pytest.mark.requirement("CT-03")
def test_scores_are_those_of_an_independent_library(alice):
    adds = corpus()
    do(alice, *adds)
    library = Independent([entry_tokens(a.name, a.content) for a in adds], k1=1.2, b=0.75)

    for query in ("word1", "word2 word3 word2", "word9 n17 the unknown"):
        expected = library.get_scores(list(dict.fromkeys(tokens(query))))
        hits = search_entries(owner=alice, query=query, limit=1_000)
        found = {hit.entry.name: hit.score for hit in hits}
        assert len(found) == sum(score > 0 for score in expected) > 0
        for add, score in zip(adds, expected, strict=True):
            assert found.get(add.name, 0.0) == pytest.approx(score, abs=1e-6)


def test_the_index_counts_what_is_there(alice):
    do(alice, Add("a1", "trout trout"), Add("b1", "cat"), Write("a1", "dog"), Remove("b1"))

    index = EntryIndex.objects.get(owner=alice)
    assert (index.number, index.entries, index.terms) == (2, 1, 2)
    assert {one.term: one.count for one in EntryTerm.objects.all()} == {"a1": 1, "dog": 1}


def test_what_was_there_before_the_index_is_indexed(alice):
    do(
        alice,
        Add("trip-4", "They ate trout.", EntryKind.ARCHIVE),
        Add("b1", "cat"),
        Remove("trip-4"),
    )
    Entry.objects.update(length=0)
    EntryTerm.objects.all().delete()
    EntryIndex.objects.all().delete()
    migration = import_module("knowledge.migrations.0014_index_entries")

    with connection.schema_editor() as editor:
        migration.fill(apps, editor)

    assert names(alice, "cat b1") == ["b1"]
    index = EntryIndex.objects.get(owner=alice)
    assert (index.number, index.entries, index.terms) == (2, 1, 2)


def test_the_database_refuses_a_name_twice_by_itself(alice):
    (applied,) = do(alice, Add("a1", "x"))

    with pytest.raises(IntegrityError), transaction.atomic():
        EntryName.objects.create(owner=alice, name="a1", entry=applied.entry)


@pytest.mark.requirement("CT-31")
@pytest.mark.django_db(transaction=True)
def test_writers_at_once_lose_nothing_and_share_no_name():
    owner = resolve_owner(agent=make_agent(), user="alice")
    refused = []

    def write(worker: int) -> None:
        try:
            wait_for_locks()
            for number in range(5):
                do(owner, Add(f"{worker} {number}", "x"))
                try:
                    do(owner, Add(f"shared {number}", "x"))
                except EntryExists:
                    refused.append(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 15
    assert sorted(Entry.objects.values_list("number", flat=True)) == list(range(1, 26))
    assert EntryIndex.objects.get().entries == 25

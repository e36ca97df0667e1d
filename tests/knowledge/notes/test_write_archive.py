import threading

import pytest
from django.db import connection, transaction

from accounts.owners import resolve_owner
from knowledge.models import Entry, EntryName
from knowledge.notes.archives import slug, write_archive
from knowledge.notes.store import find_entry
from tests.factories import make_agent


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def write(owner, session="My Trip", content="They went."):
    return write_archive(owner=owner, session_name=session, content=content)


def test_names_and_numbers_count_on(alice):
    names = [write(alice).name, write(alice).name, write(alice, session="Work").name]

    assert names == ["my-trip-1", "my-trip-2", "work-1"]
    assert list(Entry.objects.order_by("number").values_list("number", "kind")) == [
        (1, "archive"),
        (2, "archive"),
        (3, "archive"),
    ]


def test_a_name_is_found_and_an_unknown_one_is_none(alice):
    entry = write(alice)

    assert find_entry(owner=alice, name="my-trip-1") == entry
    assert find_entry(owner=alice, name="my-trip-2") is None


def test_an_alias_finds_the_entry(alice):
    entry = write(alice)
    EntryName.objects.create(owner=alice, name="holiday", entry=entry)

    assert find_entry(owner=alice, name="holiday") == entry


def test_each_owner_counts_alone(alice, porter):
    bob = resolve_owner(agent=porter, user="bob")
    write(alice)

    assert write(bob).name == "my-trip-1"
    assert find_entry(owner=bob, name="my-trip-1").owner == bob


@pytest.mark.parametrize("other", ["my-trip-home-7", "my-trip-x", "my-trip-²"])
def test_names_that_only_look_alike_are_not_counted(alice, other):
    entry = write(alice)
    EntryName.objects.create(owner=alice, name=other, entry=entry)

    assert write(alice).name == "my-trip-2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My Trip", "my-trip"),
        ("  a__b -- c!", "a-b-c"),
        ("Größe ５", "größe-5"),
        ("猫の話", "猫の話"),
        ("", "session"),
        ("!!!", "session"),
        ("x" * 80, "x" * 60),
        ("x" * 59 + " y", "x" * 59),
    ],
)
def test_a_slug_is_words_joined_by_dashes(text, expected):
    assert slug(text) == expected


@pytest.mark.django_db(transaction=True)
def test_writers_at_once_never_share_a_name():
    owner = resolve_owner(agent=make_agent(), user="alice")

    def archive() -> None:
        try:
            for _ in range(5):
                with transaction.atomic():
                    write(owner)
        finally:
            connection.close()

    threads = [threading.Thread(target=archive) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(Entry.objects.values_list("number", flat=True)) == list(range(1, 21))
    assert EntryName.objects.filter(name="my-trip-20").exists()

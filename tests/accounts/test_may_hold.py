"""Rows are found by any part of a word, in any script, by the index of parts alone."""

import pytest
from django.db import connection

from accounts.owners import resolve_owner
from accounts.parts import MOST_NAMED, may_hold
from knowledge.models import Entry
from knowledge.models.entry import PARTS_OF_ENTRY
from knowledge.notes.entries.operations import Add
from knowledge.notes.store import apply_operation

pytestmark = pytest.mark.django_db
TEXTS = (
    "We moved to Lisbon, and it's sunny.",
    "Write to alice@mail.example or to a\\b's e-mail",
    "Sie wohnt in der Königsstraße",
    "我住在北京市",
    "東京へ行く",
    "มาจากกรุงเทพ",
    "Она живёт в Москве",
    "a&b | c:* !d <-> ('e')",
    "İzmir’de ΣΑΣ ﬁn 🐟🐠 \u00a0x\ty\nz",
)


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def write(owner, *texts: str) -> None:
    for number, text in enumerate(texts):
        apply_operation(owner=owner, operation=Add(f"n{number}", text))


def found(owner, *words: str) -> set[str]:
    rows = Entry.objects.all()
    held = rows.filter(may_hold(rows, PARTS_OF_ENTRY, words, owner=owner.pk))
    return set(held.values_list("content", flat=True))


def test_every_part_of_every_word_finds_its_text_and_hardly_another(alice):
    write(alice, *TEXTS)

    for text in TEXTS:
        for word in text.split():
            for start in range(len(word)):
                for part in (word[start : start + 1], word[start : start + 2], word[start:]):
                    for asked in (part, part.upper(), part.lower()):
                        alike = Entry.objects.filter(content__icontains=asked)
                        wanted = set(alike.values_list("content", flat=True))
                        assert wanted <= found(alice, asked), (text, asked)
    assert found(alice, "isb") == {TEXTS[0]}
    assert found(alice, "isb", "sunny") == {TEXTS[0]}
    assert found(alice, "isb", "moscow") == set()
    assert found(alice, "京") == {TEXTS[3], TEXTS[4]}


def test_nobody_finds_another_s(alice, porter):
    write(alice, "Lisbon")
    bob = resolve_owner(agent=porter, user="bob")
    write(bob, "Lisbon, too")

    assert found(bob, "Lisb") == {"Lisbon, too"}


def test_the_end_of_a_long_text_is_found_though_no_index_has_it(alice):
    long = "word " * 1_000 + "Lisbon"
    write(alice, long, "Porto")

    assert found(alice, "isbo") == {long}


def test_a_word_that_very_many_have_names_no_rows(alice):
    with connection.cursor() as cursor:
        cursor.execute(
            "insert into knowledge_entry (owner_id, number, name, kind, content, created_at) "
            "select %s, n, 'n' || n, 'note', 'Lisbon', now() from generate_series(1, %s) n",
            (alice.pk, MOST_NAMED + 1),
        )
    rows = Entry.objects.all()

    assert not may_hold(rows, PARTS_OF_ENTRY, ["isbon"], owner=alice.pk)
    assert may_hold(rows, PARTS_OF_ENTRY, ["isbon", "zebra"], owner=alice.pk)

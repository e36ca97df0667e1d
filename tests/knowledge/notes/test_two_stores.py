"""One set of rules: the database and the memory in a file do the same."""

import random

import pytest

from accounts.errors import Fault
from accounts.owners import resolve_owner
from knowledge.notes.entries.operations import (
    Add,
    Alias,
    EntryKind,
    Operation,
    Remove,
    Rename,
    Write,
)
from knowledge.notes.entries.state import Entries
from knowledge.notes.store import apply_operation, search_entries
from knowledge.notes.transfer import entries_of

NAMES = ("cat", "dog", "trip-1", "我有猫", "a b", "/no", "")
TEXTS = ("", "The cat eats trout.", "trout trout Café", "我有猫 🐈", "dog and cat", "a\x00")


def drawn(dice: random.Random) -> Operation:
    name, other, text = dice.choice(NAMES), dice.choice(NAMES), dice.choice(TEXTS)
    operations: list[Operation] = [
        Add(name, text, dice.choice(list(EntryKind))),
        Add(name, text),
        Rename(name, other),
        Alias(name, other),
        Write(name, text),
        Remove(name),
    ]
    return dice.choice(operations)


@pytest.mark.requirement("CT-10")
@pytest.mark.requirement("CT-38")
@pytest.mark.parametrize("seed", range(6))
def test_both_give_the_same_entries_refusals_and_scores(porter, seed):
    dice, state = random.Random(seed), Entries()
    owner = resolve_owner(agent=porter, user="alice")

    for _ in range(60):
        operation = drawn(dice)
        refused = []
        for store in ("file", "database"):
            try:
                if store == "file":
                    state, _ = state.after(operation, 0)
                else:
                    apply_operation(owner=owner, operation=operation)
            except Fault as fault:
                refused.append((type(fault), str(fault)))
        assert len(refused) in {0, 2}
        assert len(set(refused)) <= 1

    entries, next_number = entries_of(owner)
    assert next_number == state.next_number
    kept = ("number", "name", "content", "kind", "aliases")
    assert [[getattr(one, name) for name in kept] for one in entries] == [
        [getattr(one, name) for name in kept] for one in state.entries.values()
    ]
    for query in ("cat trout", "dog 我有猫 café"):
        found = search_entries(owner=owner, query=query, limit=9)
        expected = state.search(query, 9)
        assert [hit.entry.number for hit in found] == [hit.entry.number for hit in expected]
        assert [h.score for h in found] == pytest.approx([h.score for h in expected], abs=1e-9)

"""Operations that hypothesis draws, and memories that came of them."""

from hypothesis import strategies as st

from accounts.errors import Fault
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

NAMES = st.sampled_from(["cat", "dog", "trip-1", "我有猫", "🐈 x", "a b", "/no", ""])
CONTENTS = st.sampled_from(["", "The cat eats trout.", "trout trout Café", "我有猫 🐈", "x\ny\r\n"])
OPERATIONS = st.lists(
    st.one_of(
        st.builds(Add, NAMES, CONTENTS, st.sampled_from(EntryKind)),
        st.builds(Rename, NAMES, NAMES),
        st.builds(Alias, NAMES, NAMES),
        st.builds(Write, NAMES, CONTENTS),
        st.builds(Remove, NAMES),
    ),
    max_size=12,
)


def done(operations: list[Operation], state: Entries | None = None) -> Entries:
    """Return the memory after those operations that are allowed."""
    state = state or Entries()
    for number, operation in enumerate(operations):
        try:
            state, _ = state.after(operation, 1_700_000_000 + number)
        except Fault:
            continue
    return state

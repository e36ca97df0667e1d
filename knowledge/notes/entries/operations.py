"""What can be done to entries: five operations, and no other."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from knowledge.errors import OperationUnknown


class EntryKind(StrEnum):
    """A note is what an agent writes, an archive what compaction leaves; it never changes."""

    NOTE = "note"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class EntryValue:
    """A text under a canonical name. `created_at` is in seconds since 1970."""

    number: int
    name: str
    content: str
    kind: EntryKind
    created_at: int
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Add:
    name: str
    content: str
    kind: EntryKind = EntryKind.NOTE


@dataclass(frozen=True, slots=True)
class Rename:
    """Make `new_name` the canonical name; the old one goes on as an alias."""

    name: str
    new_name: str


@dataclass(frozen=True, slots=True)
class Alias:
    """Bind one name more."""

    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class Write:
    """Put another content in the place of the one there is."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete an entry; all its names are free again."""

    name: str


Operation = Add | Rename | Alias | Write | Remove
OPERATIONS: dict[str, Callable[..., Operation]] = {
    "add": Add,
    "rename": Rename,
    "alias": Alias,
    "write": Write,
    "remove": Remove,
}


def operation_named(name: str) -> Callable[..., Operation]:
    """Return what makes the operation of this name. Raises OperationUnknown."""
    found = OPERATIONS.get(name)
    if found is None:
        raise OperationUnknown(f"there is no operation {name!r}")
    return found

"""What an operation changes: one namespace of canonical names and aliases, for every store."""

from collections.abc import Callable
from dataclasses import dataclass

from knowledge.errors import EntryExists, EntryUnknown, OperationUnknown
from knowledge.notes.entries.names import check_content, check_name
from knowledge.notes.entries.operations import (
    Add,
    Alias,
    EntryKind,
    Operation,
    Remove,
    Rename,
    Write,
)

# The number of the entry that a name is bound to, as canonical name or alias.
Lookup = Callable[[str], int | None]


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What becomes of one entry, None where a part of it stays; `number` None makes a new one.

    `bound` is a name that it did not have. The name that a new one takes the place of stays bound.
    """

    number: int | None
    name: str | None = None
    content: str | None = None
    kind: EntryKind | None = None
    bound: str | None = None
    is_removed: bool = False


def decide(operation: Operation, lookup: Lookup) -> EntryChange:
    """Return what the operation changes. Raises EntryUnknown, EntryExists, NameUnfit, ContentUnfit.

    Anything that is none of the five is refused with OperationUnknown.
    """
    match operation:
        case Add(name, content, kind):
            return _add(name, content, kind, lookup)
        case Rename(name, new_name):
            number = _known(name, lookup)
            return EntryChange(number, name=new_name, bound=_free(new_name, number, lookup))
        case Alias(name, alias):
            number = _known(name, lookup)
            return EntryChange(number, bound=_free(alias, number, lookup))
        case Write(name, content):
            check_content(content)
            return EntryChange(_known(name, lookup), content=content)
        case Remove(name):
            return EntryChange(_known(name, lookup), is_removed=True)
        case _:
            raise OperationUnknown("an entry is added, renamed, aliased, written or removed")


def _add(name: str, content: str, kind: EntryKind, lookup: Lookup) -> EntryChange:
    check_content(content)
    return EntryChange(None, name, content, EntryKind(kind), bound=_free(name, None, lookup))


def _known(name: str, lookup: Lookup) -> int:
    number = lookup(name)
    if number is None:
        raise EntryUnknown("there is no entry of this name")
    return number


def _free(name: str, number: int | None, lookup: Lookup) -> str | None:
    """Return the name if it is nobody's, None if it is the entry's own. Raises EntryExists."""
    check_name(name)
    holder = lookup(name)
    if holder is None:
        return name
    if holder != number:
        raise EntryExists("the name is another entry's, or its alias")
    return None

"""An owner's entries from the database to a file and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction

from accounts.models import Owner
from audit.log import record
from knowledge.errors import EntryExists
from knowledge.models import Entry as Row
from knowledge.notes.entries.operations import Add, Alias, EntryKind, EntryValue, Write
from knowledge.notes.store import apply_operation, find_entry, lock_entries


@dataclass(frozen=True, slots=True)
class Taken:
    """How many entries came in, changed, and stayed as they were."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0


def entries_of(owner: Owner) -> tuple[list[EntryValue], int]:
    """Return all entries as they are at one moment, and the number that comes next."""
    with transaction.atomic():
        index = lock_entries(owner)
        rows = Row.objects.filter(owner=owner).prefetch_related("names").order_by("number")
        return [_entry(row) for row in rows], index.number + 1


def take_entries(*, owner: Owner, entries: Iterable[EntryValue], actor: str) -> Taken:
    """Add entries that are not there, and write the notes that differ: all of them, or none.

    Doing it again changes nothing. Raises EntryExists for an archive that differs and for a name
    that is another entry's, NameUnfit or ContentUnfit.
    """
    taken = {"added": 0, "changed": 0, "unchanged": 0}
    with transaction.atomic():
        lock_entries(owner)
        for entry in entries:
            taken[_take(owner, entry)] += 1
        counts = Taken(**taken)
        if counts.added or counts.changed:
            record(actor=actor, action="note.import", subject=str(owner.pk), detail=taken)
    return counts


def _take(owner: Owner, entry: EntryValue) -> str:
    found = find_entry(owner=owner, name=entry.name)
    is_changed = False
    if found is None:
        add = Add(entry.name, entry.content, entry.kind)
        apply_operation(
            owner=owner, operation=add, created_at=datetime.fromtimestamp(entry.created_at, UTC)
        )
    else:
        if found.kind != entry.kind or (found.content != entry.content and not _is_note(entry)):
            raise EntryExists(
                "an archive, or an entry of another kind, has the name of one that comes in",
                detail={"id": entry.number},
            )
        write = Write(entry.name, entry.content)
        is_changed = apply_operation(owner=owner, operation=write).is_changed
    for alias in entry.aliases:
        bound = apply_operation(owner=owner, operation=Alias(entry.name, alias))
        is_changed = is_changed or bound.is_changed
    return "added" if found is None else "changed" if is_changed else "unchanged"


def _is_note(entry: EntryValue) -> bool:
    return entry.kind is EntryKind.NOTE


def _entry(row: Row) -> EntryValue:
    return EntryValue(
        number=row.number,
        name=row.name,
        content=row.content,
        kind=EntryKind(row.kind),
        created_at=int(row.created_at.timestamp()),
        aliases=tuple(row.aliases),
    )

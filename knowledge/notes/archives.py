"""Archives: the summaries that compaction leaves, under names that are given once."""

import re
import unicodedata

from django.db import transaction

from accounts.models import Owner
from knowledge.models import Entry, EntryName
from knowledge.notes.entries.operations import Add, EntryKind
from knowledge.notes.entries.rules import EntryChange
from knowledge.notes.store import apply_operation, change_entry, lock_entries

SLUG_CHARACTERS = 60


@transaction.atomic
def write_archive(*, owner: Owner, session_name: str, content: str) -> Entry:
    """Store a summary under the next free name `{session}-{n}`, in the caller's transaction."""
    lock_entries(owner)
    stem = slug(session_name)
    add = Add(f"{stem}-{_next(owner, stem)}", content, EntryKind.ARCHIVE)
    return apply_operation(owner=owner, operation=add).entry


@transaction.atomic
def reword_archive(*, entry: Entry, content: str) -> None:
    """Put another text in an archive, which no operation does: a person had something forgotten."""
    index = lock_entries(entry.owner)
    change_entry(index, entry, EntryChange(entry.number, content=content))


def slug(text: str) -> str:
    """Return lower-case letters and digits joined by single dashes; `session` when none is left."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\W_]+", "-", folded).strip("-")[:SLUG_CHARACTERS].strip("-") or "session"


def _next(owner: Owner, stem: str) -> int:
    names = EntryName.objects.filter(owner=owner, name__startswith=f"{stem}-")
    endings = [name.rpartition("-") for name in names.values_list("name", flat=True)]
    taken = [int(n) for head, _, n in endings if head == stem and n.isascii() and n.isdigit()]
    return max(taken, default=0) + 1

"""Archives: the summaries that compaction leaves, under names that are given once."""

import re
import unicodedata

from django.db import connection

from accounts.models import Owner
from knowledge.models import Entry, EntryName

SLUG_CHARACTERS = 60
# The owner's namespace and its numbers are given under one lock.
LOCK = "select pg_advisory_xact_lock(hashtextextended('entries', %s))"


def write_archive(*, owner: Owner, session_name: str, content: str) -> Entry:
    """Store a summary under the next free name `{session}-{n}`, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK, (owner.pk,))
    stem = slug(session_name)
    name = f"{stem}-{_next(owner, stem)}"
    newest = Entry.objects.filter(owner=owner).order_by("-number").first()
    entry = Entry.objects.create(
        owner=owner,
        number=newest.number + 1 if newest else 1,
        name=name,
        kind=Entry.Kind.ARCHIVE,
        content=content,
    )
    EntryName.objects.create(owner=owner, name=name, entry=entry)
    return entry


def find_entry(*, owner: Owner, name: str) -> Entry | None:
    """Return the entry of this name or alias, or None."""
    found = EntryName.objects.select_related("entry").filter(owner=owner, name=name).first()
    return found.entry if found else None


def slug(text: str) -> str:
    """Return lower-case letters and digits joined by single dashes; `session` when none is left."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\W_]+", "-", folded).strip("-")[:SLUG_CHARACTERS].strip("-") or "session"


def _next(owner: Owner, stem: str) -> int:
    names = EntryName.objects.filter(owner=owner, name__startswith=f"{stem}-")
    endings = [name.rpartition("-") for name in names.values_list("name", flat=True)]
    taken = [int(n) for head, _, n in endings if head == stem and n.isascii() and n.isdigit()]
    return max(taken, default=0) + 1

"""Entries in the database: the same five operations, under the lock of their owner's namespace."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection, transaction

from accounts.models import Owner
from knowledge.errors import EntryUnknown
from knowledge.models import Entry, EntryIndex, EntryName, EntryTerm
from knowledge.notes.entries.operations import EntryKind, Operation
from knowledge.notes.entries.rules import EntryChange, decide
from knowledge.notes.entries.state import BM25
from knowledge.notes.entries.tokens import entry_tokens, tokens

# A term's share of the score; how many entries hold it is counted before a kind is chosen.
SEARCH = """
with held as materialized (
  select number, term, count, count(*) over (partition by term) as containing
  from knowledge_entryterm where owner_id = %(owner)s and term = any(%(terms)s)
), whole as (
  select entries::float8 as entries, terms::float8 / greatest(entries, 1) as average
  from knowledge_entryindex where owner_id = %(owner)s
)
select entry.id, sum(
  ln(1 + (entries - containing + 0.5::float8) / (containing + 0.5::float8))
  * count * %(k1)s::float8 / (count + %(c)s::float8 + %(d)s::float8 * entry.length / average)
  order by held.term
) as score
from held cross join whole
join knowledge_entry entry on entry.owner_id = %(owner)s and entry.number = held.number
where %(kind)s::text is null or entry.kind = %(kind)s
group by entry.id, entry.number order by score desc, entry.number limit %(limit)s
"""


@dataclass(frozen=True, slots=True)
class EntryHit:
    """An entry that a search found, and its score: above 0, comparable within one search."""

    entry: Entry
    score: float


@dataclass(frozen=True, slots=True)
class Applied:
    """An entry as it is now, or last was. `is_changed` is false when it was so before."""

    entry: Entry
    is_new: bool
    is_changed: bool


def lock_entries(owner: Owner) -> EntryIndex:
    """Return the row under whose lock an owner's entries change, in the caller's transaction."""
    EntryIndex.objects.bulk_create([EntryIndex(owner=owner)], ignore_conflicts=True)
    return EntryIndex.objects.select_for_update().get(owner=owner)


def apply_operation(
    *, owner: Owner, operation: Operation, created_at: datetime | None = None
) -> Applied:
    """Do one operation on an owner's entries. `created_at` None is now; only Add heeds it.

    Raises what knowledge.notes.entries.rules.decide raises; then nothing has changed.
    """
    with transaction.atomic():
        index = lock_entries(owner)
        change = decide(operation, lambda name: _number(owner, name))
        if change.number is None:
            entry = _inserted(index, change, created_at or datetime.now(UTC))
            return Applied(entry, is_new=True, is_changed=True)
        entry = Entry.objects.get(owner=owner, number=change.number)
        if change.is_removed:
            _remove(index, entry)
            return Applied(entry, is_new=False, is_changed=True)
        return Applied(entry, is_new=False, is_changed=change_entry(index, entry, change))


def find_entry(*, owner: Owner | None, name: str) -> Entry | None:
    """Return the entry of this name or alias, or None. An owner of None has no entries."""
    mine = EntryName.objects.select_related("entry").filter(owner=owner, name=name)
    found = mine.first() if owner and "\x00" not in name else None
    return found.entry if found else None


def get_entry(*, owner: Owner | None, name: str) -> Entry:
    """Return the entry of this name or alias. Raises EntryUnknown."""
    found = find_entry(owner=owner, name=name)
    if found is None:
        raise EntryUnknown("there is no entry of this name")
    return found


def search_entries(
    *, owner: Owner | None, query: str, limit: int, kind: EntryKind | None = None
) -> list[EntryHit]:
    """Return the entries that hold a word of the query, best first, the older of two equals."""
    terms = list(dict.fromkeys(tokens(query)))
    if owner is None or not terms:
        return []
    known: dict[str, str | int | float | list[str] | None] = {
        "owner": owner.pk,
        "terms": terms,
        "kind": kind and kind.value,
        "limit": limit,
        "k1": BM25.k1 + 1,
        "c": BM25.k1 * (1 - BM25.b),
        "d": BM25.k1 * BM25.b,
    }
    with connection.cursor() as cursor:
        cursor.execute(SEARCH, known)
        scores: dict[int, float] = dict(cursor.fetchall())
    found = Entry.objects.prefetch_related("names").in_bulk(list(scores))
    return [EntryHit(found[id], score) for id, score in scores.items() if id in found]


def _number(owner: Owner, name: str) -> int | None:
    found = find_entry(owner=owner, name=name)
    return found.number if found else None


def _inserted(index: EntryIndex, change: EntryChange, created_at: datetime) -> Entry:
    index.number += 1
    index.entries += 1
    entry = Entry(
        owner_id=index.owner_id,
        number=index.number,
        name=change.name or "",
        kind=(change.kind or EntryKind.NOTE).value,
        content=change.content or "",
        created_at=created_at,
    )
    _index_terms(index, entry)
    entry.save(force_insert=True)
    _bind(entry, change.bound)
    return entry


def change_entry(index: EntryIndex, entry: Entry, change: EntryChange) -> bool:
    """Write what is new of an entry under its lock, and say whether anything was."""
    was = (entry.name, entry.content)
    entry.name = entry.name if change.name is None else change.name
    entry.content = entry.content if change.content is None else change.content
    is_reworded = was != (entry.name, entry.content)
    if not (is_reworded or change.bound):
        return False
    if is_reworded:
        _forget_terms(index, entry)
        _index_terms(index, entry)
    entry.version += 1
    entry.save()
    _bind(entry, change.bound)
    return True


def _bind(entry: Entry, name: str | None) -> None:
    if name is not None:
        EntryName.objects.create(owner_id=entry.owner_id, name=name, entry=entry)


def _remove(index: EntryIndex, entry: Entry) -> None:
    index.entries -= 1
    _forget_terms(index, entry)
    index.save()
    Entry.objects.filter(pk=entry.pk).delete()


def _index_terms(index: EntryIndex, entry: Entry) -> None:
    counts = Counter(entry_tokens(entry.name, entry.content))
    EntryTerm.objects.bulk_create(
        EntryTerm(owner_id=entry.owner_id, number=entry.number, term=term, count=count)
        for term, count in sorted(counts.items())
    )
    entry.length = counts.total()
    index.terms += entry.length
    index.save()


def _forget_terms(index: EntryIndex, entry: Entry) -> None:
    EntryTerm.objects.filter(owner_id=entry.owner_id, number=entry.number).delete()
    index.terms -= entry.length

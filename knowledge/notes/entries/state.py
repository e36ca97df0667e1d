"""All entries of one memory at one moment, with their names and their index."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from knowledge.errors import EntryUnknown
from knowledge.notes.entries.operations import EntryKind, EntryValue, Operation
from knowledge.notes.entries.rules import EntryChange, decide
from knowledge.notes.entries.tokens import entry_tokens, tokens
from ranking.bm25 import Bm25

BM25 = Bm25(k1=1.2, b=0.75)


@dataclass(frozen=True, slots=True)
class EntryMatch:
    """An entry that a search found, and its score: above 0, comparable within one search."""

    entry: EntryValue
    score: float


@dataclass(frozen=True, slots=True)
class Entries:
    """A value: every change makes another, which shares what did not change.

    `counts` says how often each term stands in each entry; `containing` in how many entries it does.
    """

    next_number: int = 1
    entries: Mapping[int, EntryValue] = field(default_factory=dict)
    names: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[int, Counter[str]] = field(default_factory=dict)
    containing: Counter[str] = field(default_factory=Counter)
    total: int = 0

    def find(self, name: str) -> EntryValue:
        """Return the entry of this name or alias. Raises EntryUnknown."""
        number = self.names.get(name)
        if number is None:
            raise EntryUnknown("there is no entry of this name")
        return self.entries[number]

    def after(self, operation: Operation, now: int) -> tuple["Entries", EntryValue]:
        """Return what the operation makes of it, and the entry as it then is, or last was.

        The same value for what was so before. Raises what decide raises.
        """
        change = decide(operation, self.names.get)
        if change.number is None:
            entry = EntryValue(
                self.next_number, change.name or "", "", change.kind or EntryKind.NOTE, now
            )
        else:
            entry = self.entries[change.number]
        if change.is_removed:
            return self._without(entry), entry
        entry = _changed(entry, change)
        is_same = entry == self.entries.get(entry.number)
        return (self if is_same else self._with(entry)), entry

    def search(self, query: str, limit: int, kind: EntryKind | None = None) -> list[EntryMatch]:
        """Return the entries that hold a word of the query, best first, the older of two equals."""
        documents = len(self.entries)
        terms = [t for t in dict.fromkeys(tokens(query)) if self.containing[t]]
        idfs = {term: BM25.idf(documents, self.containing[term]) for term in terms}
        average = self.total / max(documents, 1)
        hits = [
            EntryMatch(entry, self._score(number, idfs, average))
            for number, entry in self.entries.items()
            if kind is None or entry.kind is kind
        ]
        found = sorted((hit for hit in hits if hit.score > 0), key=_rank)
        return found[: max(limit, 0)]

    def _score(self, number: int, idfs: Mapping[str, float], average: float) -> float:
        counts = self.counts[number]
        held = [term for term in idfs if term in counts]
        if not held:
            return 0.0
        length = counts.total()
        return sum(idfs[term] * BM25.weight(counts[term], length, average) for term in held)

    def _with(self, entry: EntryValue) -> "Entries":
        counts = Counter(entry_tokens(entry.name, entry.content))
        was = self.counts.get(entry.number, Counter())
        names = {**self.names, entry.name: entry.number}
        names |= dict.fromkeys(entry.aliases, entry.number)
        return Entries(
            next_number=max(self.next_number, entry.number + 1),
            entries={**self.entries, entry.number: entry},
            names=names,
            counts={**self.counts, entry.number: counts},
            containing=_counted(self.containing, counts, was),
            total=self.total + counts.total() - was.total(),
        )

    def _without(self, entry: EntryValue) -> "Entries":
        was = self.counts[entry.number]
        return replace(
            self,
            entries={n: one for n, one in self.entries.items() if n != entry.number},
            names={name: n for name, n in self.names.items() if n != entry.number},
            counts={n: one for n, one in self.counts.items() if n != entry.number},
            containing=_counted(self.containing, Counter(), was),
            total=self.total - was.total(),
        )


def state_of(entries: Iterable[EntryValue], next_number: int) -> Entries:
    """Return a memory of entries that agree with each other, indexed anew."""
    state = Entries(next_number=next_number)
    found = {entry.number: entry for entry in entries}
    counts = {n: Counter(entry_tokens(one.name, one.content)) for n, one in found.items()}
    names = {
        name: entry.number for entry in found.values() for name in (entry.name, *entry.aliases)
    }
    return indexed(replace(state, entries=found, names=names), counts)


def indexed(state: Entries, counts: Mapping[int, Counter[str]]) -> Entries:
    """Return the memory with this index in the place of its own."""
    containing: Counter[str] = Counter()
    for one in counts.values():
        containing.update(one.keys())
    total = sum(one.total() for one in counts.values())
    return replace(state, counts=counts, containing=containing, total=total)


def _changed(entry: EntryValue, change: EntryChange) -> EntryValue:
    name = entry.name if change.name is None else change.name
    held = [entry.name, *entry.aliases, *([change.bound] if change.bound else [])]
    aliases = tuple(dict.fromkeys(alias for alias in held if alias != name))
    content = entry.content if change.content is None else change.content
    return replace(entry, name=name, content=content, aliases=_in_order(entry, aliases))


def _in_order(entry: EntryValue, aliases: tuple[str, ...]) -> tuple[str, ...]:
    """Return the aliases as they were bound: an old canonical name after those it already had."""
    known = [alias for alias in entry.aliases if alias in aliases]
    return (*known, *(alias for alias in aliases if alias not in entry.aliases))


def _counted(containing: Counter[str], now: Counter[str], was: Counter[str]) -> Counter[str]:
    counted = containing.copy()
    counted.update(now.keys())
    counted.subtract(was.keys())
    return +counted if was else counted


def _rank(hit: EntryMatch) -> tuple[float, int]:
    return -hit.score, hit.entry.number

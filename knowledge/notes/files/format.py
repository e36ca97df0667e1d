"""The bytes of a memory file: little-endian, lengths before texts, a checksum at the end.

Version 2 holds an index beside the entries; version 1, which is read and never written, does not.
"""

import struct
import zlib
from collections import Counter
from dataclasses import replace

from knowledge.errors import FileUnfit
from knowledge.notes.entries.operations import EntryKind, EntryValue
from knowledge.notes.entries.state import Entries, indexed, state_of

MAGIC = b"CRMEM\0"
VERSION = 2
OLD_VERSION = 1
HEADER = struct.Struct("<6sIH4x")
U32 = struct.Struct("<I")
U64 = struct.Struct("<Q")
POSTING = struct.Struct("<QI")
ENTRY = struct.Struct("<QQI")
KINDS = (EntryKind.NOTE, EntryKind.ARCHIVE)
# What a database can count; a file may say anything.
MOST = 2**63

Counts = dict[int, Counter[str]]


def encode(state: Entries) -> bytes:
    """Return a memory as the bytes of version 2: the same ones for the same memory."""
    parts = [HEADER.pack(MAGIC, VERSION, 0), U64.pack(state.next_number)]
    parts += [U32.pack(len(state.entries))]
    parts += [part for number in sorted(state.entries) for part in _entry(state.entries[number])]
    parts += _index(state)
    body = b"".join(parts)
    return body + U32.pack(zlib.crc32(body))


def decode(data: bytes) -> Entries:
    """Return the memory that the bytes hold. Raises FileUnfit."""
    if len(data) < HEADER.size:
        raise FileUnfit("the file is shorter than a header")
    magic, version, flags = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise FileUnfit("the file does not begin as a memory file does")
    if version not in {OLD_VERSION, VERSION}:
        raise FileUnfit(f"version {version} is not known")
    if flags:
        raise FileUnfit(f"flags {flags:#06x} are not known")
    return _decode_old(data) if version == OLD_VERSION else _decode(data)


def _decode(data: bytes) -> Entries:
    body = data[: -U32.size]
    if len(body) < HEADER.size:
        raise FileUnfit("the file ends too soon")
    if zlib.crc32(body) != U32.unpack(data[-U32.size :])[0]:
        raise FileUnfit("the checksum is another: the file was cut off or changed")
    reader = Reader(body)
    next_number, entries = _entries(reader)
    names = [name for entry in entries for name in (entry.name, *entry.aliases)]
    if len(set(names)) != len(names):
        raise FileUnfit("a name stands there twice")
    counts = _counts(reader, {entry.number for entry in entries})
    reader.end()
    state = Entries(
        next_number=next_number,
        entries={entry.number: entry for entry in entries},
        names={name: entry.number for entry in entries for name in (entry.name, *entry.aliases)},
    )
    return indexed(state, counts)


def _decode_old(data: bytes) -> Entries:
    reader = Reader(data)
    next_number, entries = _entries(reader)
    reader.end()
    taken = {entry.name for entry in entries}
    if len(taken) != len(entries):
        raise FileUnfit("a name stands there twice")
    kept = []
    for entry in entries:
        # Aliases of that version were words to be found by, and might be anyone's.
        aliases = [alias for alias in dict.fromkeys(entry.aliases) if alias not in taken]
        taken.update(aliases)
        kept.append(replace(entry, aliases=tuple(aliases)))
    return state_of(kept, next_number)


class Reader:
    """A place in bytes; whatever is not there, or not what it should be, is FileUnfit."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = HEADER.size

    def take(self, form: struct.Struct) -> tuple[int, ...]:
        return form.unpack(self._bytes(form.size))

    def number(self) -> int:
        return self.take(U64)[0]

    def count(self) -> int:
        return self.take(U32)[0]

    def text(self) -> str:
        try:
            return self._bytes(self.count()).decode()
        except UnicodeDecodeError as error:
            raise FileUnfit("a text is not UTF-8") from error

    def end(self) -> None:
        if self.place != len(self.data):
            raise FileUnfit("the file goes on after its end")

    def _bytes(self, size: int) -> bytes:
        found = self.data[self.place : self.place + size]
        if len(found) < size:
            raise FileUnfit("the file ends too soon")
        self.place += size
        return found


def _entry(entry: EntryValue) -> list[bytes]:
    head = ENTRY.pack(entry.number, entry.created_at, KINDS.index(entry.kind))
    texts = [_text(entry.name), _text(entry.content), U32.pack(len(entry.aliases))]
    return [head, *texts, *(_text(alias) for alias in entry.aliases)]


def _text(text: str) -> bytes:
    data = text.encode()
    return U32.pack(len(data)) + data


def _index(state: Entries) -> list[bytes]:
    """Return each term with the entries it stands in, the length of each entry, and their sum."""
    postings: dict[str, list[bytes]] = {}
    for number in sorted(state.counts):
        for term, count in state.counts[number].items():
            postings.setdefault(term, []).append(POSTING.pack(number, count))
    parts = [U32.pack(len(postings))]
    for term in sorted(postings):
        parts += [_text(term), U32.pack(len(postings[term])), *postings[term]]
    parts.append(U32.pack(len(state.counts)))
    parts += [POSTING.pack(n, state.counts[n].total()) for n in sorted(state.counts)]
    return [*parts, U64.pack(state.total)]


def _entries(reader: Reader) -> tuple[int, list[EntryValue]]:
    next_number = reader.number()
    entries = [_read_entry(reader) for _ in range(reader.count())]
    numbers = {entry.number for entry in entries}
    if len(numbers) != len(entries):
        raise FileUnfit("an id stands there twice")
    if not 0 <= max(numbers, default=0) < next_number < MOST or 0 in numbers:
        raise FileUnfit("the next id is not beyond those that were given")
    return next_number, entries


def _read_entry(reader: Reader) -> EntryValue:
    number, created_at, kind = reader.take(ENTRY)
    if kind >= len(KINDS):
        raise FileUnfit(f"kind {kind} is not known")
    name, content = reader.text(), reader.text()
    aliases = tuple(reader.text() for _ in range(reader.count()))
    return EntryValue(number, name, content, KINDS[kind], created_at, aliases)


def _counts(reader: Reader, numbers: set[int]) -> Counts:
    """Return how often each term stands in each entry. Raises FileUnfit if it does not add up."""
    counts: Counts = {number: Counter() for number in sorted(numbers)}
    for _ in range(reader.count()):
        term = reader.text()
        for _ in range(reader.count()):
            number, count = reader.take(POSTING)
            if number not in counts or term in counts[number] or not count:
                raise FileUnfit("the index does not agree with the entries")
            counts[number][term] = count
    lengths = [reader.take(POSTING) for _ in range(reader.count())]
    total = reader.number()
    held = [(number, one.total()) for number, one in counts.items()]
    if lengths != held or total != sum(length for _, length in held):
        raise FileUnfit("the index does not agree with the entries")
    return counts

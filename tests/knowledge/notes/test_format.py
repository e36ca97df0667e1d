import struct
import zlib
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.errors import FileUnfit
from knowledge.notes.entries.operations import Add, Alias, EntryKind, EntryValue, Rename
from knowledge.notes.entries.state import Entries, state_of
from knowledge.notes.files.format import decode, encode
from tests.knowledge.notes.memories import OPERATIONS, done

SMALL = done([Add("cat", "Café 🐈"), Alias("cat", "pet"), Add("trip-1", "", EntryKind.ARCHIVE)])
# Written by hand from docs/notes.md.
SMALL_BYTES = bytes.fromhex(
    "43524d454d00" "02000000" "0000" "00000000"
    "0300000000000000" "02000000"
    "0100000000000000" "00f1536500000000" "00000000"
    "03000000" "636174" "0a000000" "436166c3a920f09f9088" "01000000" "03000000" "706574"
    "0200000000000000" "02f1536500000000" "01000000"
    "06000000" "747269702d31" "00000000" "00000000"
    "03000000"
    "05000000" "636166c3a9" "01000000" "0100000000000000" "01000000"
    "03000000" "636174" "01000000" "0100000000000000" "01000000"
    "04000000" "74726970" "01000000" "0200000000000000" "01000000"
    "02000000" "0100000000000000" "02000000" "0200000000000000" "01000000"
    "0300000000000000"
)  # fmt: skip
OLD_BYTES = bytes.fromhex(
    "43524d454d00" "01000000" "0000" "00000000"
    "0900000000000000" "02000000"
    "0100000000000000" "00f1536500000000" "00000000"
    "03000000" "636174" "05000000" "74726f7574" "02000000" "03000000" "706574" "03000000" "646f67"
    "0700000000000000" "01f1536500000000" "01000000"
    "03000000" "646f67" "00000000" "01000000" "03000000" "706574"
)  # fmt: skip


def sealed(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


@pytest.mark.requirement("CT-24")
def test_the_bytes_are_exactly_these():
    assert encode(SMALL) == sealed(SMALL_BYTES)


@pytest.mark.requirement("CT-24")
@pytest.mark.requirement("CT-28")
@given(OPERATIONS)
def test_what_is_written_is_read(operations):
    state = done(operations)

    read = decode(encode(state))

    assert read == state
    assert encode(read) == encode(state)
    assert [(h.entry, h.score) for h in read.search("cat trout 我有猫", 9)] == [
        (h.entry, h.score) for h in state.search("cat trout 我有猫", 9)
    ]


def test_version_1_is_read_and_indexed():
    state = decode(OLD_BYTES)

    assert list(state.entries.values()) == [
        EntryValue(1, "cat", "trout", EntryKind.NOTE, 1_700_000_000, ("pet",)),
        EntryValue(7, "dog", "", EntryKind.ARCHIVE, 1_700_000_001),
    ]
    assert (state.next_number, state.names) == (9, {"cat": 1, "pet": 1, "dog": 7})
    assert [hit.entry.name for hit in state.search("trout", 5)] == ["cat"]
    assert decode(encode(state)) == state


@pytest.mark.requirement("CT-30")
@pytest.mark.parametrize("data", [sealed(SMALL_BYTES), OLD_BYTES], ids=["2", "1"])
def test_every_part_of_a_file_is_refused(data):
    for size in range(len(data)):
        with pytest.raises(FileUnfit):
            decode(data[:size])
    with pytest.raises(FileUnfit):
        decode(data + b"\0")


@pytest.mark.requirement("CT-30")
def test_every_changed_byte_is_refused():
    data = sealed(SMALL_BYTES)

    for place in range(len(data)):
        for mask in (0x01, 0x03, 0x80):
            changed = bytearray(data)
            changed[place] ^= mask
            with pytest.raises(FileUnfit):
                decode(bytes(changed))


def put(place: int, new: bytes) -> bytes:
    return SMALL_BYTES[:place] + new + SMALL_BYTES[place + len(new) :]


@pytest.mark.requirement("CT-30")
@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "shorter"),
        (put(0, b"XX"), "begin"),
        (put(6, b"\x03"), "version 3"),
        (put(10, b"\x01"), "flags 0x0001"),
        (put(16, b"\x02"), "next id"),
        (put(28, b"\x00"), "next id"),
        (put(44, b"\x02"), "kind 2"),
        (put(52, b"\xff"), "UTF-8"),
        (SMALL_BYTES[:-1], "too soon"),
        (SMALL_BYTES + b"\0", "after its end"),
    ],
)
def test_a_well_sealed_file_is_refused_for_what_is_wrong_in_it(body, why):
    with pytest.raises(FileUnfit, match=why):
        decode(sealed(body))


def index(**fields) -> Entries:
    return replace(SMALL, **fields)


@pytest.mark.requirement("CT-30")
@pytest.mark.parametrize(
    "state",
    [
        index(counts={1: Counter(cat=1)}),
        index(counts={**SMALL.counts, 3: Counter(cat=1)}),
        index(counts={**SMALL.counts, 1: Counter(cat=0)}),
        index(total=4),
    ],
)
def test_an_index_that_disagrees_with_the_entries_is_refused(state):
    with pytest.raises(FileUnfit, match="index"):
        decode(encode(state))


@pytest.mark.parametrize(
    "entries",
    [
        [EntryValue(1, "cat", "", EntryKind.NOTE, 1), EntryValue(2, "cat", "", EntryKind.NOTE, 1)],
        [
            EntryValue(1, "cat", "", EntryKind.NOTE, 1),
            EntryValue(2, "dog", "", EntryKind.NOTE, 1, ("cat",)),
        ],
        [EntryValue(1, "cat", "", EntryKind.NOTE, 1, ("pet", "pet"))],
    ],
)
def test_a_name_that_stands_there_twice_is_refused(entries):
    with pytest.raises(FileUnfit, match="twice"):
        decode(encode(state_of(entries, 3)))


def test_an_id_that_stands_there_twice_is_refused():
    one = EntryValue(1, "cat", "", EntryKind.NOTE, 1)
    state = state_of([one, EntryValue(2, "dog", "", EntryKind.NOTE, 1)], 3)
    twice = replace(state, entries={1: one, 2: replace(state.entries[2], number=1)})

    with pytest.raises(FileUnfit, match="id stands"):
        decode(encode(twice))


def test_two_entries_of_one_name_in_version_1_are_refused():
    with pytest.raises(FileUnfit, match="twice"):
        decode(OLD_BYTES.replace(b"dog", b"cat"))


@pytest.mark.requirement("CT-30")
@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data):
    for body in (data, SMALL_BYTES[:16] + data, OLD_BYTES[:16] + data):
        for candidate in (body, sealed(body)):
            try:
                decode(candidate)
            except FileUnfit:
                continue


@pytest.mark.requirement("CT-30")
@settings(max_examples=300)
@given(
    OPERATIONS,
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=4),
)
def test_what_the_reader_takes_is_a_memory(operations, changes):
    body = bytearray(encode(done(operations))[:-4])
    for place, value in changes:
        body[int(place * len(body))] = value

    try:
        state = decode(sealed(bytes(body)))
    except FileUnfit:
        return

    assert decode(encode(state)) == state
    assert set(state.names.values()) == set(state.entries) == set(state.counts)
    state, entry = state.after(Add("a new one", "x"), 1)
    state, _ = state.after(Rename("a new one", "another"), 1)
    assert state.find("a new one").number == entry.number
    state.search("cat trout", 5)

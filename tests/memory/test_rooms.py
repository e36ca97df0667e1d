"""Incognito rooms, in this process and behind a socket: the same promises."""

import threading
import time
from multiprocessing.connection import Client
from pathlib import Path
from uuid import uuid4

import pytest

from memory import rooms as module
from memory.holder import FarRooms, HolderGone, hold, key_of
from memory.rooms import RoomConflict, RoomEnded, RoomFull, RoomMissing, Rooms, RoomStore
from tests.factories import said

KEY = key_of("secret")
PORTER, RIVAL = uuid4(), uuid4()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def address(tmp_path) -> str:
    """Return where a socket may be until the tests end: its thread has no other end."""
    return str(tmp_path / "rooms")


def serve(address: str, rooms: RoomStore) -> None:
    Path(address).write_text("what a holder that was killed left")
    threading.Thread(target=hold, args=(address, KEY, rooms), daemon=True).start()
    far = FarRooms(address, KEY)
    while True:
        try:
            far.look(PORTER, uuid4())
        except HolderGone:
            time.sleep(0.01)
        except RoomMissing:
            return


@pytest.fixture(params=["here", "far"])
def store(request, clock, address) -> RoomStore:
    here = Rooms(clock)
    if request.param == "here":
        return here
    serve(address, here)
    return FarRooms(address, KEY)


def add(store, session, *texts, key=None, request=b""):
    drafts = [said(text) for text in texts]
    return store.append(PORTER, session, drafts, key, request)


def words(store, session, lane="edge") -> list[str]:
    return [one.payload["content"] for one in store.said(PORTER, session, lane)]


def test_what_is_said_is_numbered_by_lane_and_found_again(store):
    room = store.open(PORTER).id

    (first, second), repeated = add(store, room, "one", "two")
    store.append(PORTER, room, [said("job", lane="core")], None, b"")

    assert (first.seq, second.seq, repeated) == (1, 2, False)
    assert words(store, room) == ["one", "two"]
    assert [one.seq for one in store.said(PORTER, room, "core")] == [1]
    assert store.look(PORTER, room).last_event_at is not None
    assert room.version == 4


def test_another_agent_finds_nothing(store):
    room = store.open(PORTER).id

    for act in (
        lambda: store.look(RIVAL, room),
        lambda: store.said(RIVAL, room, "edge"),
        lambda: store.append(RIVAL, room, [said("x")], None, b""),
        lambda: store.end(RIVAL, room),
        lambda: store.look(PORTER, uuid4()),
    ):
        with pytest.raises(RoomMissing):
            act()


def test_a_repeated_key_keeps_nothing_twice(store):
    room = store.open(PORTER).id

    first, _ = add(store, room, "one", key="k", request=b"1")
    second, repeated = add(store, room, "one", key="k", request=b"1")

    assert (second, repeated) == (first, True)
    assert words(store, room) == ["one"]
    with pytest.raises(RoomConflict):
        add(store, room, "two", key="k", request=b"2")


@pytest.mark.requirement("OC-74")
def test_the_end_forgets_at_once(store):
    room = store.open(PORTER).id
    add(store, room, "one", key="k", request=b"1")

    ended = store.end(PORTER, room)

    assert ended == store.end(PORTER, room)
    assert words(store, room) == []
    with pytest.raises(RoomEnded):
        add(store, room, "two")
    with pytest.raises(RoomEnded):
        add(store, room, "one", key="k", request=b"1")


def test_a_silent_room_is_forgotten(store, clock):
    room, other = store.open(PORTER).id, store.open(PORTER).id
    clock.now = module.SILENT_SECONDS
    add(store, other, "one")
    clock.now += 1

    with pytest.raises(RoomMissing):
        store.look(PORTER, room)
    assert words(store, other) == ["one"]


def test_memory_is_bounded(store, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROOMS", 1)
    monkeypatch.setattr(module, "MOST_CHARACTERS", 5)
    room = store.open(PORTER).id

    with pytest.raises(RoomFull):
        store.open(PORTER)
    add(store, room, "12345")
    with pytest.raises(RoomFull):
        add(store, room, "6")
    assert words(store, room) == ["12345"]


def test_a_place_that_does_not_answer_is_gone(address):
    with pytest.raises(HolderGone):
        FarRooms(address, KEY).open(PORTER)


def test_whoever_has_not_the_key_is_told_nothing(address):
    serve(address, Rooms())

    with pytest.raises(HolderGone):
        FarRooms(address, key_of("another")).open(PORTER)
    assert FarRooms(address, KEY).open(PORTER)


def test_nothing_but_its_acts_is_done(address):
    serve(address, Rooms())
    with Client(address, authkey=KEY) as line:
        line.send(("__init__", ()))
        assert isinstance(line.recv(), RoomMissing)
    with Client(address, authkey=KEY):
        pass
    assert FarRooms(address, KEY).open(PORTER)


def test_a_failure_comes_back_without_what_was_said(address):
    serve(address, Rooms())
    far = FarRooms(address, KEY)
    room = far.open(PORTER).id

    with pytest.raises(AttributeError) as failure:
        far.append(PORTER, room, ["the secret trout"], None, b"")  # type: ignore[list-item]

    assert "trout" not in repr(failure.value)

"""Incognito sessions: rooms in the memory of one process, gone when they end or it does (pure).

Nothing here touches Django, a database or a file, and nothing is written into a log.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import ClassVar, Protocol
from uuid import UUID, uuid4

from memory.budget import estimate_message
from memory.messages import Draft, spoken, text_of

MOST_ROOMS = 1_000
MOST_CHARACTERS = 4_000_000
SILENT_SECONDS = 1_200.0


class RoomMissing(Exception):
    """There is no such room: it never was, was another agent's, or is forgotten."""


class RoomEnded(Exception):
    """The room has ended and holds nothing any more."""


class RoomFull(Exception):
    """The process has no more memory for this room, or for another one."""


class RoomConflict(Exception):
    """The Idempotency-Key was used in this room for another request."""


@dataclass(frozen=True, slots=True)
class RoomEvent:
    """One event of a room, as the log of a stored session would have it."""

    id: UUID
    lane: str
    seq: int
    type: str
    payload: dict[str, object]
    tool_call_id: str
    skill_phase: str
    tokens: int
    occurred_at: datetime
    committed_at: datetime


@dataclass(frozen=True, slots=True)
class RoomStatus:
    """What is told of a room."""

    id: UUID
    opened_at: datetime
    last_event_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(slots=True)
class Room:
    agent: UUID
    look: RoomStatus
    touched: float
    said: list[RoomEvent] = field(default_factory=list)
    keys: dict[str, tuple[bytes, list[RoomEvent]]] = field(default_factory=dict)
    characters: int = 0


class RoomStore(Protocol):
    """A place for rooms must say of itself, on its class, that it forgets."""

    is_ephemeral: ClassVar[bool]

    def open(self, agent: UUID) -> RoomStatus: ...

    def look(self, agent: UUID, session: UUID) -> RoomStatus: ...

    def append(
        self, agent: UUID, session: UUID, drafts: Sequence[Draft], key: str | None, request: bytes
    ) -> tuple[list[RoomEvent], bool]: ...

    def said(self, agent: UUID, session: UUID, lane: str) -> list[RoomEvent]: ...

    def end(self, agent: UUID, session: UUID) -> RoomStatus: ...


class Rooms:
    """All rooms of one process. Every method raises RoomMissing for what is not the agent's."""

    is_ephemeral: ClassVar[bool] = True

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._rooms: dict[UUID, Room] = {}
        self._lock = Lock()
        self._clock = clock

    def open(self, agent: UUID) -> RoomStatus:
        """Open a room; its id, of version 4, tells it from a stored session. Raises RoomFull."""
        with self._lock:
            self._forget()
            if len(self._rooms) >= MOST_ROOMS:
                raise RoomFull
            look = RoomStatus(uuid4(), datetime.now(UTC))
            self._rooms[look.id] = Room(agent, look, self._clock())
            return look

    def look(self, agent: UUID, session: UUID) -> RoomStatus:
        with self._room(agent, session) as room:
            return room.look

    def append(
        self, agent: UUID, session: UUID, drafts: Sequence[Draft], key: str | None, request: bytes
    ) -> tuple[list[RoomEvent], bool]:
        """Keep the drafts, all or none; True beside what a repetition of `key` found.

        Raises RoomEnded, RoomFull or RoomConflict.
        """
        with self._room(agent, session) as room:
            if key is not None and key in room.keys:
                return _repeated(room.keys[key], request), True
            if room.look.ended_at:
                raise RoomEnded
            said = _keep(room, drafts)
            if key is not None:
                room.keys[key] = (request, said)
            return said, False

    def said(self, agent: UUID, session: UUID, lane: str) -> list[RoomEvent]:
        with self._room(agent, session) as room:
            return [one for one in room.said if one.lane == lane]

    def end(self, agent: UUID, session: UUID) -> RoomStatus:
        """Forget at once what was said; that the room has ended is known for a while."""
        with self._room(agent, session) as room:
            room.said, room.keys, room.characters = [], {}, 0
            if room.look.ended_at is None:
                ended = datetime.now(UTC)
                room.look = RoomStatus(session, room.look.opened_at, room.look.last_event_at, ended)
            return room.look

    @contextmanager
    def _room(self, agent: UUID, session: UUID) -> Iterator[Room]:
        with self._lock:
            self._forget()
            room = self._rooms.get(session)
            if room is None or room.agent != agent:
                raise RoomMissing
            room.touched = self._clock()
            yield room

    def _forget(self) -> None:
        """Drop the rooms in which nothing happened for long."""
        since = self._clock() - SILENT_SECONDS
        for session in [key for key, room in self._rooms.items() if room.touched < since]:
            del self._rooms[session]


def _repeated(known: tuple[bytes, list[RoomEvent]], request: bytes) -> list[RoomEvent]:
    if known[0] != request:
        raise RoomConflict
    return known[1]


def _keep(room: Room, drafts: Sequence[Draft]) -> list[RoomEvent]:
    characters = sum(len(text_of(draft.payload)) for draft in drafts)
    if room.characters + characters > MOST_CHARACTERS:
        raise RoomFull
    now = datetime.now(UTC)
    added: list[RoomEvent] = []
    for draft in drafts:
        seq = sum(one.lane == draft.lane for one in (*room.said, *added)) + 1
        added.append(_said(draft, seq, now))
    room.said.extend(added)
    room.characters += characters
    look = room.look
    room.look = RoomStatus(look.id, look.opened_at, now, look.ended_at)
    return added


def _said(draft: Draft, seq: int, now: datetime) -> RoomEvent:
    return RoomEvent(
        id=uuid4(),
        lane=draft.lane,
        seq=seq,
        type=draft.type,
        payload=draft.payload,
        tool_call_id=draft.tool_call_id,
        skill_phase=draft.skill_phase,
        tokens=estimate_message(spoken(draft.type, draft.payload)),
        occurred_at=draft.occurred_at or now,
        committed_at=now,
    )

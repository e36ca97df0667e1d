"""One process holds all incognito rooms; the others ask it over a socket, and keep nothing.

A web server has several processes, and a request may come to any of them. What passes between them
passes through the kernel's memory alone. The processes know each other by a key.
"""

import hashlib
import threading
from collections.abc import Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import ClassVar
from uuid import UUID

from memory.messages import Draft
from memory.rooms import RoomEvent, RoomMissing, Rooms, RoomStatus, RoomStore

ACTS = frozenset({"open", "look", "append", "said", "end"})


class HolderGone(Exception):
    """The process that holds the rooms does not answer; if it died, so did they."""


class FarRooms:
    """The rooms of the process behind a socket. Raises HolderGone besides what `Rooms` raises."""

    is_ephemeral: ClassVar[bool] = True

    def __init__(self, address: str, key: bytes) -> None:
        self._address, self._key = address, key

    def open(self, agent: UUID) -> RoomStatus:
        return self._look("open", agent)

    def look(self, agent: UUID, session: UUID) -> RoomStatus:
        return self._look("look", agent, session)

    def append(
        self, agent: UUID, session: UUID, drafts: Sequence[Draft], key: str | None, request: bytes
    ) -> tuple[list[RoomEvent], bool]:
        found = self._ask("append", agent, session, list(drafts), key, request)
        assert isinstance(found, tuple), "the holder answers as Rooms does"  # noqa: S101 - narrows
        return found

    def said(self, agent: UUID, session: UUID, lane: str) -> list[RoomEvent]:
        found = self._ask("said", agent, session, lane)
        assert isinstance(found, list), "the holder answers as Rooms does"  # noqa: S101 - narrows
        return found

    def end(self, agent: UUID, session: UUID) -> RoomStatus:
        return self._look("end", agent, session)

    def _look(self, act: str, *given: object) -> RoomStatus:
        found = self._ask(act, *given)
        assert isinstance(found, RoomStatus), "the holder answers as Rooms does"  # noqa: S101 - narrows
        return found

    def _ask(self, act: str, *given: object) -> object:
        try:
            with Client(self._address, authkey=self._key) as line:
                line.send((act, given))
                answer: object = line.recv()
        except (OSError, EOFError, AuthenticationError) as error:
            raise HolderGone from error
        if isinstance(answer, Exception):
            raise answer
        return answer


def hold(address: str, key: bytes, rooms: RoomStore | None = None) -> None:
    """Hold the rooms and answer for them, until the process ends."""
    store = rooms or Rooms()
    # What a holder that was killed left stands in the way.
    Path(address).unlink(missing_ok=True)
    with Listener(address, authkey=key) as listener:
        while True:
            try:
                line = listener.accept()
            except (OSError, EOFError, AuthenticationError):
                continue
            threading.Thread(target=_answer, args=(line, store), daemon=True).start()


def key_of(secret: str) -> bytes:
    """Return the key by which the processes of one installation know each other."""
    return hashlib.sha256(b"incognito rooms " + secret.encode()).digest()


def _answer(line: Connection, store: RoomStore) -> None:
    with line:
        try:
            act, given = line.recv()
            line.send(_do(store, act, given))
        except (OSError, EOFError):
            return


def _do(store: RoomStore, act: str, given: tuple[object, ...]) -> object:
    if act not in ACTS:
        return RoomMissing()
    try:
        return getattr(store, act)(*given)
    except Exception as error:  # noqa: BLE001 - it is raised again where it was asked
        # Without what led to it: that may hold what was said.
        return type(error)()

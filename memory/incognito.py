"""The one door to incognito sessions; it is closed wherever nobody can vouch that they vanish."""

from collections.abc import Callable
from functools import cache
from typing import TypeVar
from uuid import UUID

from django.conf import settings

from accounts.errors import IdempotencyConflict
from memory.errors import IncognitoFull, IncognitoGone, ModeUnavailable, SessionClosed
from memory.holder import FarRooms, HolderGone, key_of
from memory.rooms import RoomConflict, RoomEnded, RoomFull, Rooms, RoomStore

HERE = "process"
Found = TypeVar("Found")


def rooms() -> RoomStore:
    """Return where rooms are: in this process, or in the one behind the socket.

    Raises ModeUnavailable where neither is set, or where the place does not declare itself ephemeral.
    """
    if not settings.INCOGNITO:
        raise ModeUnavailable("no process of this server holds incognito sessions")
    store = _here() if settings.INCOGNITO == HERE else _far(settings.INCOGNITO)
    if type(store).__dict__.get("is_ephemeral") is not True:
        raise ModeUnavailable("the place for incognito sessions does not say that it forgets")
    return store


def is_incognito(session: UUID) -> bool:
    """Say whether the id is a room's: stored sessions have ids of another version."""
    return session.version == 4


def ask_rooms(act: Callable[[], Found]) -> Found:
    """Ask the rooms, and say what is wrong as the stored sessions would; RoomMissing goes through."""
    try:
        return act()
    except RoomEnded:
        raise SessionClosed("the session takes no more events") from None
    except RoomFull:
        raise IncognitoFull("there is no more memory for this") from None
    except RoomConflict:
        raise IdempotencyConflict("this Idempotency-Key belongs to another request") from None
    except HolderGone:
        raise IncognitoGone("what holds incognito sessions does not answer") from None


@cache
def _here() -> RoomStore:
    return Rooms()


@cache
def _far(address: str) -> RoomStore:
    return FarRooms(address, key_of(settings.SECRET_KEY))

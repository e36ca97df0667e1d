"""The one door to incognito sessions; it is closed wherever nobody can vouch that they vanish."""

from functools import cache
from uuid import UUID

from django.conf import settings

from memory.errors import ModeUnavailable
from memory.holder import FarRooms, key_of
from memory.rooms import Rooms, Store

HERE = "process"


def rooms() -> Store:
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


@cache
def _here() -> Store:
    return Rooms()


@cache
def _far(address: str) -> Store:
    return FarRooms(address, key_of(settings.SECRET_KEY))

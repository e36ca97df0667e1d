"""Sessions of the playground: begun here, and those alone are opened here."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404

from accounts.ids import new_id
from accounts.models import Agent, User
from audit.log import record
from consolidation.intake.accept import end_session
from inspector.whose import visible_owners
from memory.errors import IncognitoGone, ModeUnavailable
from memory.incognito import ask_rooms, rooms
from memory.models import Session
from memory.rooms import RoomMissing, RoomStatus
from memory.sessions import open_session

NAME = "playground:"


def begin(*, agent: Agent, user: str, person: User) -> Session:
    """Open a session of a user with an agent, and record who did. Raises ErasureUnderWay."""
    name = f"{NAME}{new_id()}"
    with transaction.atomic():
        session = open_session(agent=agent, user=user, external_id=name).session
        record(actor=str(person), action="playground.start", subject=f"session {session.pk}")
    return session


def finish(*, session: Session, person: User) -> bool:
    """End a session, so that what it taught is learned. False if it was ending already."""
    with transaction.atomic():
        has_ended = end_session(session=session, reason=Session.EndReason.WEB)
        if has_ended:
            record(actor=str(person), action="playground.end", subject=f"session {session.pk}")
    return has_ended


def session_of(person: User, agent: Agent, session: UUID) -> Session:
    """Return a session that was begun here. Raises Http404 for any other."""
    mine = Session.objects.filter(owner__agent=agent, external_id__startswith=NAME)
    seen = mine.filter(owner__in=visible_owners(person).order_by().values("pk"))
    found: Session = get_object_or_404(
        seen.select_related("owner__agent__organization", "owner__user"), pk=session
    )
    return found


@contextmanager
def found_or_404() -> Iterator[None]:
    """Raise Http404 for an incognito session that is not there, or not any more."""
    try:
        yield
    except (RoomMissing, ModeUnavailable, IncognitoGone):
        raise Http404 from None


def room_of(agent: Agent, session: UUID) -> RoomStatus:
    """Return an incognito session of an agent. Raises Http404 for any other."""
    with found_or_404():
        store = rooms()
        return ask_rooms(lambda: store.look(agent.pk, session))

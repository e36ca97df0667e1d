"""Reads across agents: of the same organization, through the reader role, each one logged.

What another agent's open sessions hold is never read. What it remembers of a person is found only
by a caller who asks for that same person; without one its own memory is asked. What the person keeps
to that agent is as if it were not there.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

from django.db import connection, transaction

from accounts.models import Agent, Owner
from accounts.owners import find_agent_owner, find_owner, scope_of
from accounts.roles import Role, ready_role
from audit.log import record
from memory.models import Event, Session
from recall.answers.answer import Answer, gather
from recall.answers.session_log import read_session
from recall.errors import AgentNotShared, AgentUnknown, SessionUnknown
from recall.search.fuse import FusedQuestion

# For the transaction alone: the next to use the connection is the application again.
ENTER = """
select set_config('recollect.owner', %s, true), set_config('transaction_read_only', 'on', true),
       set_config('role', %s, true)
"""
LEAVE = "select set_config('role', 'none', true), set_config('recollect.owner', '', true)"


def find_target(*, caller: Agent, slug: str) -> Agent:
    """Return the agent that may be read. Raises AgentUnknown, or AgentNotShared."""
    target = Agent.objects.filter(organization=caller.organization_id, slug=slug).first()
    if target is None:
        raise AgentUnknown(f"there is no agent {slug}")
    if not target.is_shared and target != caller:
        raise AgentNotShared(f"agent {slug} keeps its memory to itself")
    return target


def owner_at(
    *, caller: Agent, target: Agent, user: str | None = None, session: UUID | None = None
) -> Owner | None:
    """Return whose memory is asked: a user's, a session's, or else the agent's own.

    None where it has none, or none for the caller. Raises SessionUnknown for one that is open,
    kept to its agent, or another person's.
    """
    if session is not None:
        return _ended(caller=caller, target=target, session=session, user=user).owner
    if user is not None:
        return _open_to(caller, find_owner(agent=target, user=user))
    return _open_to(caller, find_agent_owner(target))


@contextmanager
def reading(*, caller: Agent, owner: Owner, act: str) -> Iterator[None]:
    """Log the read, then read one owner's rows and no others, as the reader.

    Without the right to make roles there is no reader: then the transaction alone is read-only.
    """
    record(
        actor=f"agent {caller.slug}",
        action="memory.read_across",
        subject=owner.agent.slug,
        detail={"owner": owner.pk, "act": act},
    )
    with transaction.atomic():
        _set(ENTER, str(owner.pk), ready_role(Role.READER) or "none")
        yield
        # A transaction around this one goes on as itself; a failure undoes all by rolling back.
        _set(LEAVE)


def recall_across(
    *,
    caller: Agent,
    target: str,
    asked: FusedQuestion,
    stores: Collection[str] = ("session",),
    user: str | None = None,
    session: UUID | None = None,
    max_tokens: int | None = None,
    widen: int = 0,
) -> Answer:
    """Search another agent's ended sessions and its knowledge. Log entries stand for the receipt.

    Raises AgentUnknown, AgentNotShared or SessionUnknown.
    """
    agent = find_target(caller=caller, slug=target)
    got = gather(
        owner=owner_at(caller=caller, target=agent, user=user, session=session)
        if "session" in stores
        else None,
        asked=asked,
        knowledge=owner_at(caller=caller, target=agent) if "knowledge" in stores else None,
        max_tokens=max_tokens,
        widen=widen,
        through=lambda whose: reading(caller=caller, owner=whose, act="recall"),
    )
    return Answer(replace(got.found, hits=got.kept), None, got.around)


def events_across(
    *,
    caller: Agent,
    target: str,
    session: UUID,
    limit: int,
    after: UUID | None = None,
    user: str | None = None,
) -> tuple[list[Event], UUID | None]:
    """Return another agent's ended session as `read_session` does. Raises as recall_across."""
    agent = find_target(caller=caller, slug=target)
    owner = _ended(caller=caller, target=agent, session=session, user=user).owner
    with reading(caller=caller, owner=owner, act="session_detail"):
        return read_session(agent=agent, owner=owner, session=session, limit=limit, after=after)


def _open_to(caller: Agent, owner: Owner | None) -> Owner | None:
    """Return an owner that the caller may read: its own, or one that is not kept to its agent."""
    if owner is None or owner.is_shared or owner.agent_id == caller.pk:
        return owner
    return None


def _ended(*, caller: Agent, target: Agent, session: UUID, user: str | None) -> Session:
    theirs = Session.objects.within(scope_of(target)).select_related("owner__agent")
    found = theirs.exclude(state=Session.State.OPEN).filter(pk=session).first()
    if found is None or _open_to(caller, found.owner) is None:
        raise SessionUnknown("no such session")
    if found.owner.kind == Owner.Kind.USER and found.owner.key != user:
        raise SessionUnknown("no such session")
    return found


def _set(text: str, *values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(text, values)

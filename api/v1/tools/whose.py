"""Whose memory a tool reads and writes."""

from accounts.models import Owner
from accounts.owners import agent_owner, find_agent_owner, find_owner, resolve_owner
from api.v1.tools.base import ToolInvocation
from recall.errors import SessionIdRequired


def owner_of(call: ToolInvocation) -> Owner:
    """Return for whom a call writes: its session's owner, the user, else the agent itself."""
    if call.session:
        return call.session.owner
    return resolve_owner(agent=call.agent, user=call.user) if call.user else agent_owner(call.agent)


def found_owner_of(call: ToolInvocation) -> Owner | None:
    """Return of whom a call reads; None for a user or an agent that nothing is known of yet."""
    if call.session:
        return call.session.owner
    return (
        find_owner(agent=call.agent, user=call.user) if call.user else find_agent_owner(call.agent)
    )


def person_of(call: ToolInvocation) -> Owner:
    """Return the person a call is about. Raises SessionIdRequired when it names none."""
    if call.session is None and call.user is None:
        raise SessionIdRequired("the call names neither the session it is made in, nor a user")
    return owner_of(call)

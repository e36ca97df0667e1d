"""End all that is open: of one agent, or of the server that goes down."""

from accounts.models import Agent
from audit.log import record
from consolidation.intake.accept import end_session
from memory.models import Session


def stop_agent(*, agent: Agent, actor: str) -> int:
    """End an agent's open sessions, each on its own; return how many."""
    found = Session.objects.open().filter(owner__agent=agent)
    ended = _end(list(found), Session.EndReason.AGENT_STOP)
    record(actor=actor, action="agent.stop", subject=agent.slug, detail={"sessions": ended})
    return ended


def end_open_sessions() -> int:
    """End every open session, before the server stops; return how many."""
    return _end(list(Session.objects.open()), Session.EndReason.SHUTDOWN)


def _end(sessions: list[Session], reason: str) -> int:
    return sum(end_session(session=session, reason=reason) for session in sessions)

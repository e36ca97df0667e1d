"""The texts that are in every prompt of an agent's lane, in their order."""

from accounts.models import Agent

CORE = "core"


def fixed_texts(agent: Agent, lane: str) -> list[str]:
    """Return behaviour with skills, then the identity texts; empty ones are left out.

    USER.md (the organization's text) is never in the core lane; AGENTS.md is for agents that have
    the edge lane alone. The organization must be loaded.
    """
    if lane == CORE:
        texts = [_behaviour(agent.core_behaviour, agent), agent.core_soul]
    else:
        fleet = "" if agent.has_core_lane else agent.fleet
        texts = [
            _behaviour(agent.behaviour, agent),
            fleet,
            agent.organization.user_text,
            agent.soul,
        ]
    return [text for text in texts if text]


def _behaviour(text: str, agent: Agent) -> str:
    skills = [f"- {skill['name']}: {skill['description']}" for skill in agent.skills]
    listed = "\n".join(["Skills:", *skills]) if skills else ""
    return "\n\n".join(part for part in (text, listed) if part)

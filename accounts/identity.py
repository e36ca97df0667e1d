"""The texts that are in every prompt of an agent's lane, in their order."""

from dataclasses import dataclass

from accounts.models import Agent

CORE = "core"


@dataclass(frozen=True, slots=True)
class Files:
    """Identity texts that were written as files; an empty one leaves the setting in its place."""

    agents: str = ""
    soul: str = ""
    user: str = ""


NO_FILES = Files()


def fixed_texts(agent: Agent, lane: str, files: Files = NO_FILES) -> list[str]:
    """Return behaviour with skills, then the identity texts; empty ones are left out.

    A text that was written as a file stands in the place of the setting.

    USER.md (the organization's text) is never in the core lane; AGENTS.md is for agents that have
    the edge lane alone. The organization must be loaded.
    """
    if lane == CORE:
        texts = [_behaviour(agent.core_behaviour, agent), agent.core_soul]
    else:
        fleet = "" if agent.has_core_lane else files.agents or agent.fleet
        texts = [
            _behaviour(agent.behaviour, agent),
            fleet,
            files.user or agent.organization.user_text,
            files.soul or agent.soul,
        ]
    return [text for text in texts if text]


def _behaviour(text: str, agent: Agent) -> str:
    skills = [f"- {skill['name']}: {skill['description']}" for skill in agent.skills]
    listed = "\n".join(["Skills:", *skills]) if skills else ""
    return "\n\n".join(part for part in (text, listed) if part)

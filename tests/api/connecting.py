"""Real clients of a real server: keys, and addresses."""

from accounts.keys import issue_key
from accounts.models import Agent


def key_of(agent: Agent) -> str:
    return issue_key(organization=agent.organization, agent=agent, actor="test").text


def bearer(agent: Agent) -> dict[str, str]:
    return {"Authorization": f"Bearer {key_of(agent)}"}

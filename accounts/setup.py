"""What a new installation needs before anyone can call it."""

import secrets
from dataclasses import dataclass

from django.db import transaction

from accounts.agents import create_agent
from accounts.keys import issue_key
from accounts.models import Agent, ApiKey, Organization, User

OPERATOR = "operator"
AGENT = "assistant"
BEHAVIOUR = (
    "You are a helpful assistant. Use what you remember of the user, and say when you are not sure."
)


@dataclass(frozen=True, slots=True)
class FirstRun:
    """Secrets are None when they were made by an earlier run: they are shown once."""

    operator_login: str
    operator_password: str | None
    agent: str
    agent_key: str | None


@transaction.atomic
def first_run() -> FirstRun:
    """Make the default organization, an operator, an agent and its key, where they are missing."""
    organization, _ = Organization.objects.get_or_create(
        slug="default", defaults={"name": "Default"}
    )
    password = _make_operator(organization)
    agent = Agent.objects.filter(organization=organization, slug=AGENT).first() or create_agent(
        organization=organization, slug=AGENT, actor="setup", fields={"behaviour": BEHAVIOUR}
    )
    key = None
    if not ApiKey.objects.filter(agent=agent).exists():
        key = issue_key(organization=organization, agent=agent, actor="setup", name="first").text
    return FirstRun(OPERATOR, password, agent.slug, key)


def _make_operator(organization: Organization) -> str | None:
    if User.objects.filter(username=OPERATOR).exists():
        return None
    password = secrets.token_urlsafe(12)
    operator = User.objects.create_superuser(OPERATOR, password=password)
    operator.organization = organization
    operator.save(update_fields=["organization"])
    return password

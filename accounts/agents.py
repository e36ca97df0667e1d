"""Create an agent and change its configuration."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from accounts.errors import AgentExists
from accounts.models import Agent, Organization
from audit.log import record

Fields = Mapping[str, object]


def create_agent(*, organization: Organization, slug: str, actor: str, fields: Fields) -> Agent:
    """Make an agent. Raises AgentExists if the organization has one with this slug."""
    try:
        with transaction.atomic():
            agent = Agent.objects.create(organization=organization, slug=slug, **fields)
            record(actor=actor, action="agent.create", subject=slug)
    except IntegrityError as error:
        raise AgentExists(f"there is an agent {slug} already") from error
    return agent


@transaction.atomic
def configure_agent(*, agent: Agent, actor: str, fields: Fields) -> Agent:
    """Change the given fields and no others."""
    for name, value in fields.items():
        setattr(agent, name, value)
    agent.save(update_fields=list(fields))
    record(
        actor=actor,
        action="agent.configure",
        subject=agent.slug,
        detail={"fields": " ".join(sorted(fields))},
    )
    return agent

"""Create an agent, change its configuration and delete it."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from accounts.errors import AgentExists
from accounts.models import Agent, Organization
from accounts.schemas import create_agent_schema, drop_agent_schema
from audit.log import record

Fields = Mapping[str, object]


def create_agent(*, organization: Organization, slug: str, actor: str, fields: Fields) -> Agent:
    """Make an agent with its database schema. Raises AgentExists if the organization has one with this slug."""
    try:
        with transaction.atomic():
            agent = Agent.objects.create(organization=organization, slug=slug, **fields)
            create_agent_schema(agent=agent)
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


@transaction.atomic
def delete_agent(*, agent: Agent, actor: str) -> None:
    """Delete an agent with its memory, its schema and its role."""
    drop_agent_schema(agent=agent)
    record(actor=actor, action="agent.delete", subject=agent.slug)
    agent.delete()

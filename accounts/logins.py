"""Let an agent's own role log in to the database, and stop it."""

import secrets

from django.db import connection, transaction
from psycopg import sql

from accounts.errors import SchemaMissing
from accounts.models import Agent
from accounts.roles import end_connections, execute, role_name
from audit.log import record


@transaction.atomic
def give_login(*, agent: Agent, actor: str) -> tuple[str, str]:
    """Return the role and its new password, which is known nowhere else. Raises SchemaMissing."""
    role, password = _role(agent), secrets.token_urlsafe(24)
    connection.ensure_connection()
    # Hashed here: the server's log and its statistics never see the password.
    verifier = connection.connection.pgconn.encrypt_password(
        password.encode(), role.encode(), b"scram-sha-256"
    )
    text = sql.SQL("alter role {} login password {}")
    with connection.cursor() as cursor:
        cursor.execute(text.format(sql.Identifier(role), sql.Literal(verifier.decode())))
    record(actor=actor, action="agent.login", subject=agent.slug)
    return role, password


@transaction.atomic
def revoke_login(*, agent: Agent, actor: str) -> None:
    """Close the role and end what it has open. Raises SchemaMissing."""
    role = _role(agent)
    execute("alter role {role} nologin password null", role=role)
    end_connections(role)
    record(actor=actor, action="agent.login_revoke", subject=agent.slug)


def _role(agent: Agent) -> str:
    if agent.schema_name is None:
        raise SchemaMissing(f"agent {agent.slug} has no schema")
    return role_name(agent.schema_name)

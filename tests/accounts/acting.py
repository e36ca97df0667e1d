"""Ask the database as somebody else."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection, transaction

from accounts.models import Agent
from accounts.roles import execute, role_name

Rows = list[tuple]


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """Be a role inside; leave it whatever happened."""
    with transaction.atomic():
        execute("set local role {role}", role=role)
        yield
        execute("set local role none")


def ask(text: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(text)
        return cursor.fetchall()


def seen_by(agent: Agent, text: str) -> Rows:
    """Return what the agent's role finds; `{}` in the text stands for its schema."""
    with acting_as(role_name(agent.schema_name)):
        return ask(text.format(agent.schema_name))


def logged_in(role: str, password: str) -> psycopg.Connection:
    """Return a connection of the role's own, as a program of the agent would open one."""
    found = connection.settings_dict
    return psycopg.connect(
        host=found["HOST"],
        port=found["PORT"] or None,
        dbname=found["NAME"],
        user=role,
        password=password,
        autocommit=True,
    )

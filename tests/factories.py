"""Saved rows with sensible defaults, made by the application's own functions."""

from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import connection
from factory.declarations import SubFactory
from factory.django import DjangoModelFactory

from accounts.models import Agent, Organization
from consolidation.intake.accept import accept_events, end_session
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from memory.messages import draft_of
from memory.sessions import open_session

WHEN = datetime(2026, 5, 8, 9, 30, tzinfo=UTC)


class OrganizationFactory(DjangoModelFactory):
    class Meta:
        model = Organization
        django_get_or_create = ("slug",)

    slug = "home"
    name = "Home"


class AgentFactory(DjangoModelFactory):
    class Meta:
        model = Agent

    organization = SubFactory(OrganizationFactory)
    slug = "porter"
    behaviour = "Be brief."
    # What is shown of seed 001 is shown under its own policy.
    learning_policy = "counselling"


def make_agent(slug: str = "porter", **fields):
    return AgentFactory(slug=slug, **fields)


def make_session(agent: Agent, user: str = "alice", **fields):
    """Open a session of a user."""
    return open_session(agent=agent, user=user, **fields).session


def said(text: str, role: str = "user", **fields):
    return draft_of({"role": role, "content": text, "occurred_at": WHEN, **fields})


def wait_for_locks() -> None:
    """Have this thread's connection wait as long as a busy machine takes."""
    with connection.cursor() as cursor:
        cursor.execute("set lock_timeout = '60s'")


def run_jobs(rounds: int = 20) -> None:
    """Do all jobs that are due, and those that they make."""
    for _ in range(rounds):
        due = queue.take(100)
        for job in due:
            run_job(job)
        if not due:
            return


def make_ended_session(agent: Agent, texts: Sequence[str], user: str = "alice", **fields):
    """Return a session that was filled, ended, cut into chunks and embedded."""
    session = make_session(agent, user, **fields)
    accept_events(agent=agent, session=session, drafts=[said(text) for text in texts])
    end_session(session=session, reason="explicit")
    run_jobs()
    session.refresh_from_db()
    return session

"""Saved rows with sensible defaults, made by the application's own functions."""

from collections.abc import Sequence
from datetime import UTC, datetime

import factory

from accounts.models import Agent, Organization
from consolidation import queue
from consolidation.intake import accept_events, end_session
from consolidation.jobs import run_job
from memory.messages import Draft, draft_of
from memory.models import Session
from memory.sessions import open_session

WHEN = datetime(2026, 5, 8, 9, 30, tzinfo=UTC)


class OrganizationFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Organization
        django_get_or_create = ("slug",)

    slug = "home"
    name = "Home"


class AgentFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Agent

    organization = factory.SubFactory(OrganizationFactory)
    slug = "porter"
    behaviour = "Be brief."


def make_agent(slug: str = "porter", **fields: object) -> Agent:
    return AgentFactory(slug=slug, **fields)


def make_session(agent: Agent, user: str = "alice", **fields: object) -> Session:
    """Open a session of a user."""
    return open_session(agent=agent, user=user, **fields).session


def said(text: str, role: str = "user", **fields: object) -> Draft:
    return draft_of({"role": role, "content": text, "occurred_at": WHEN, **fields})


def run_jobs(rounds: int = 20) -> None:
    """Do all jobs that are due, and those that they make."""
    for _ in range(rounds):
        due = queue.take(100)
        for job in due:
            run_job(job)
        if not due:
            return


def make_ended_session(
    agent: Agent, texts: Sequence[str], user: str = "alice", **fields: object
) -> Session:
    """Return a session that was filled, ended, cut into chunks and embedded."""
    session = make_session(agent, user, **fields)
    accept_events(agent=agent, session=session, drafts=[said(text) for text in texts])
    end_session(session=session, reason="explicit")
    run_jobs()
    session.refresh_from_db()
    return session

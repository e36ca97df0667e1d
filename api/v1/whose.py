"""Whose memory a request means."""

from collections.abc import Mapping
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request

from accounts.errors import OwnerMissing
from accounts.models import Agent, Owner
from accounts.owners import find_owner
from api.authentication import caller_of
from api.v1.fields import Body, Text
from recall.answers.answer import owner_of_session
from recall.errors import SessionUnknown

WHOSE = [
    OpenApiParameter("user", str, description="The caller's id for the person."),
    OpenApiParameter("session", OpenApiTypes.UUID, description="A session of the person's."),
]


class WhoseIn(Body):
    """A `user`, or whoever a `session` belongs to."""

    user = Text(max_length=255, required=False)
    session = serializers.UUIDField(required=False)


def owner_in_query(request: Request) -> Owner | None:
    """Return whose memory the query parameters name; None for a user the agent has never met.

    Raises OwnerMissing, or SessionUnknown.
    """
    query = WhoseIn(data=request.query_params)
    query.is_valid(raise_exception=True)
    return owner_named(caller_of(request).agent, query.validated_data)


def owner_named(agent: Agent, asked: Mapping[str, object]) -> Owner | None:
    """Return the owner among checked fields; None for a user the agent has never met.

    Raises OwnerMissing, or SessionUnknown.
    """
    user, session = asked.get("user"), asked.get("session")
    found = owner_of_session(agent=agent, session=session) if isinstance(session, UUID) else None
    if isinstance(user, str) and user:
        known = find_owner(agent=agent, user=user)
        if found is not None and found != known:
            raise SessionUnknown("the session is not the user's")
        return known
    if found is not None:
        return found
    raise OwnerMissing("neither `user` nor `session` was given")


def agent_of(request: Request, slug: str) -> Agent:
    """Return an agent of the caller's organization. Raises Http404 for any other."""
    mine = Agent.objects.filter(organization=caller_of(request).organization)
    found: Agent = get_object_or_404(mine, slug=slug)
    return found

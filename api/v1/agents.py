"""Agents: an operator creates and configures them, and issues their keys."""

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.agents import configure_agent, create_agent
from accounts.keys import issue_key
from accounts.models import SLUG, Agent
from api.authentication import caller_of
from api.permissions import IsOperator
from api.v1.fields import Number, Text
from ranking.languages import LATIN, SCRIPTS

LANGUAGES = sorted({*LATIN, *(name for name, _ in SCRIPTS)})
TEXT_CHARACTERS = 32_000


class SkillIn(serializers.Serializer):
    name = Text(max_length=100)
    description = Text(max_length=1_000)


class AgentFields(serializers.Serializer):
    """How an agent's prompts are built."""

    name = Text(max_length=200, required=False, allow_blank=True)
    behaviour = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    soul = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    skills = serializers.ListField(child=SkillIn(), required=False, max_length=100)
    language = serializers.ChoiceField(choices=LANGUAGES, required=False)
    window_events = Number(min_value=1, max_value=1_000, required=False)
    context_tokens = Number(min_value=500, max_value=10_000_000, required=False)


class AgentIn(AgentFields):
    slug = Text(max_length=41, validators=[SLUG])


class KeyIn(serializers.Serializer):
    """The key's name and end; without `expires_at` it is valid until revoked."""

    name = Text(max_length=100, required=False, default="", allow_blank=True)
    expires_in_days = Number(min_value=1, max_value=3_650, required=False)


class AgentList(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=AgentIn, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Create an agent in the key's organization."""
        fields = _validated(AgentIn, request)
        slug = str(fields.pop("slug"))
        caller = caller_of(request)
        agent = create_agent(
            organization=caller.organization, slug=slug, actor=caller.name, fields=fields
        )
        return Response(_shown(agent), status=status.HTTP_201_CREATED)


class AgentDetail(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, slug: str) -> Response:
        """Show an agent's configuration."""
        return Response(_shown(_agent(request, slug)))

    @extend_schema(request=AgentFields, responses={200: OpenApiTypes.OBJECT})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the given fields."""
        agent = _agent(request, slug)
        fields = _validated(AgentFields, request)
        changed = configure_agent(agent=agent, actor=caller_of(request).name, fields=fields)
        return Response(_shown(changed))


class AgentKeys(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=KeyIn, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, slug: str) -> Response:
        """Issue a key for an agent; it is shown in this answer and never again."""
        agent = _agent(request, slug)
        body = KeyIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller = caller_of(request)
        issued = issue_key(
            organization=caller.organization,
            agent=agent,
            actor=caller.name,
            name=body.validated_data["name"],
            days=body.validated_data.get("expires_in_days"),
        )
        answer = {
            "key": issued.text,
            "prefix": issued.row.prefix,
            "expires_at": issued.row.expires_at,
        }
        return Response(answer, status=status.HTTP_201_CREATED)


def _agent(request: Request, slug: str) -> Agent:
    mine = Agent.objects.filter(organization=caller_of(request).organization)
    found: Agent = get_object_or_404(mine, slug=slug)
    return found


def _validated(kind: type[serializers.Serializer], request: Request) -> dict[str, object]:
    body = kind(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def _shown(agent: Agent) -> Mapping[str, object]:
    names = ("slug", "name", "behaviour", "soul", "skills", "language", "window_events")
    found = {name: getattr(agent, name) for name in names}
    return {"id": agent.pk, **found, "context_tokens": agent.context_tokens}

"""Agents: an operator creates and configures them, and issues their keys."""

from collections.abc import Mapping

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.agents import configure_agent, create_agent
from accounts.keys import issue_key
from accounts.models import SLUG, Agent, LearningPolicy, Tiers
from accounts.zones import check_time_zone
from api.authentication import caller_of
from api.permissions import IsOperator
from api.v1.fields import Body, Flag, Metadata, Number, Text
from api.v1.whose import agent_of
from consolidation.intake.closing import stop_agent
from ranking.languages import LATIN, SCRIPTS

LANGUAGES = sorted({*LATIN, *(name for name, _ in SCRIPTS)})
TEXT_CHARACTERS = 32_000
MOST_DAYS = 36_500
SHOWN = (
    "slug",
    "name",
    "behaviour",
    "soul",
    "core_behaviour",
    "core_soul",
    "fleet",
    "has_core_lane",
    "tools",
    "skills",
    "language",
    "window_events",
    "context_tokens",
    "compact_share",
    "is_shared",
    "learns",
    "learning_policy",
    "time_zone",
    "mid_term_sessions",
    "constitution",
    "keeps_profile",
    "tiers",
    "retrieves",
    "scaffold_keys",
    "synthesises_at_once",
    "synthesis_models",
    "narrative_words",
    "narrative_days",
    "sensitive_days",
    "forget_days",
)


class SkillIn(Body):
    name = Text(max_length=100)
    description = Text(max_length=1_000)


class FunctionIn(Body):
    name = serializers.RegexField(r"\A[A-Za-z0-9_.-]{1,64}\Z")
    description = Text(max_length=4_000, required=False)
    parameters = Metadata(required=False)


class ToolIn(Body):
    """The schema of one tool, as OpenAI's chat API has it."""

    type = serializers.ChoiceField(choices=["function"])
    function = FunctionIn()


class SynthesisModels(Body):
    """The models that work observations in: one for all parts, or one for each."""

    all = Text(max_length=100, required=False)
    narrative = Text(max_length=100, required=False)
    scaffold = Text(max_length=100, required=False)
    facts = Text(max_length=100, required=False)


class AgentFields(Body):
    """How an agent's prompts are built."""

    name = Text(max_length=200, required=False, allow_blank=True)
    behaviour = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    soul = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    core_behaviour = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    core_soul = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    fleet = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    has_core_lane = serializers.BooleanField(required=False)
    tools = serializers.ListField(child=ToolIn(), required=False, max_length=100)
    skills = serializers.ListField(child=SkillIn(), required=False, max_length=100)
    language = serializers.ChoiceField(choices=LANGUAGES, required=False)
    window_events = Number(min_value=1, max_value=1_000, required=False)
    context_tokens = Number(min_value=500, max_value=10_000_000, required=False)
    compact_share = serializers.FloatField(min_value=0.1, max_value=0.95, required=False)
    is_shared = Flag(required=False)
    learns = Flag(required=False)
    learning_policy = serializers.ChoiceField(choices=LearningPolicy.values, required=False)
    time_zone = Text(max_length=40, required=False, validators=[check_time_zone])
    mid_term_sessions = Number(min_value=1, max_value=100_000, required=False)
    constitution = Text(max_length=TEXT_CHARACTERS, required=False, allow_blank=True)
    keeps_profile = Flag(required=False)
    tiers = serializers.ChoiceField(choices=Tiers.values, required=False)
    retrieves = Flag(required=False)
    scaffold_keys = serializers.ListField(child=Text(max_length=100), required=False, max_length=50)
    synthesises_at_once = Flag(required=False)
    synthesis_models = SynthesisModels(required=False)
    narrative_words = Number(min_value=20, max_value=500, required=False)
    narrative_days = Number(min_value=1, max_value=MOST_DAYS, required=False, allow_null=True)
    sensitive_days = Number(min_value=1, max_value=MOST_DAYS, required=False, allow_null=True)
    forget_days = Number(min_value=1, max_value=MOST_DAYS, required=False, allow_null=True)


class AgentChange(AgentFields):
    """With `stop` the agent's open sessions end first, so that none goes on under both configurations."""

    stop = serializers.BooleanField(default=False)


class AgentIn(AgentFields):
    slug = Text(max_length=41, validators=[SLUG])


class KeyIn(Body):
    """The key's name and end; without `expires_at` it is valid until revoked."""

    name = Text(max_length=100, required=False, default="", allow_blank=True)
    expires_in_days = Number(min_value=1, max_value=3_650, required=False)


class AgentList(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=AgentIn)
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

    def get(self, request: Request, slug: str) -> Response:
        """Show an agent's configuration."""
        return Response(_shown(agent_of(request, slug)))

    @extend_schema(request=AgentChange)
    def patch(self, request: Request, slug: str) -> Response:
        """Change the given fields."""
        agent = agent_of(request, slug)
        fields = _validated(AgentChange, request)
        if fields.pop("stop"):
            stop_agent(agent=agent, actor=caller_of(request).name)
        changed = configure_agent(agent=agent, actor=caller_of(request).name, fields=fields)
        return Response(_shown(changed))


class AgentStop(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=None)
    def post(self, request: Request, slug: str) -> Response:
        """End all open sessions of an agent, each in full; new ones may be opened at once."""
        ended = stop_agent(agent=agent_of(request, slug), actor=caller_of(request).name)
        return Response({"ended": ended})


class AgentKeys(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=KeyIn)
    def post(self, request: Request, slug: str) -> Response:
        """Issue a key for an agent; it is shown in this answer and never again."""
        agent = agent_of(request, slug)
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


def _validated(kind: type[serializers.Serializer], request: Request) -> dict[str, object]:
    body = kind(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def _shown(agent: Agent) -> Mapping[str, object]:
    return {"id": agent.pk, **{name: getattr(agent, name) for name in SHOWN}}

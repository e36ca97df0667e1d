"""Which changes of an agent's memory wait for a person: an operator says so, category by category."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Agent, Owner
from accounts.owners import find_owner
from api.authentication import caller_of
from api.permissions import IsOperator
from api.v1.fields import Body, Text
from api.v1.whose import agent_of
from knowledge.changes.approval import CATEGORIES, NewPolicy, set_policies
from knowledge.models import ApprovalPolicy
from knowledge.models.learned import Confidence


class PolicyIn(Body):
    """A category is one of facts, or `arc`, or `rule`; `least_confidence` counts for `above` alone."""

    category = serializers.ChoiceField(choices=CATEGORIES)
    mode = serializers.ChoiceField(choices=ApprovalPolicy.Mode.values)
    least_confidence = serializers.ChoiceField(choices=Confidence.values, default="high")


class ApprovalIn(Body):
    """All policies of the agent, or with `user` of one person; what is left out is automatic."""

    user = Text(max_length=255, required=False)
    policies = serializers.ListField(child=PolicyIn(), max_length=len(CATEGORIES))

    def validate_policies(self, value: list[dict[str, str]]) -> list[dict[str, str]]:
        if len({one["category"] for one in value}) < len(value):
            raise serializers.ValidationError("one policy for each category")
        return value


class UserQuery(Body):
    user = serializers.CharField(max_length=255, required=False)


class AgentApproval(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(parameters=[UserQuery])
    def get(self, request: Request, slug: str) -> Response:
        """Show an agent's policies, or those of one user."""
        query = UserQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        agent = agent_of(request, slug)
        return _answer(agent, _owner(agent, query.validated_data.get("user")))

    @extend_schema(request=ApprovalIn)
    def put(self, request: Request, slug: str) -> Response:
        """Replace an agent's policies, or those of one user."""
        agent = agent_of(request, slug)
        if request.query_params:
            # Of one person as it seems, and of everybody in truth.
            raise serializers.ValidationError({"user": ["belongs into the body"]})
        body = ApprovalIn(data=request.data)
        body.is_valid(raise_exception=True)
        owner = _owner(agent, body.validated_data.get("user"))
        policies = [NewPolicy(**one) for one in body.validated_data["policies"]]
        actor = caller_of(request).name
        set_policies(agent=agent, owner=owner, policies=policies, actor=actor)
        return _answer(agent, owner)


def _owner(agent: Agent, user: str | None) -> Owner | None:
    """Return the user's owner, or None for all users. Raises NotFound for one never met."""
    if user is None:
        return None
    found = find_owner(agent=agent, user=user)
    if found is None:
        raise NotFound
    return found


def _answer(agent: Agent, owner: Owner | None) -> Response:
    rows = ApprovalPolicy.objects.filter(agent=agent, owner=owner).order_by("category")
    names = ("category", "mode", "least_confidence")
    policies = [{name: getattr(row, name) for name in names} for row in rows]
    return Response({"user": owner.key if owner else None, "policies": policies})

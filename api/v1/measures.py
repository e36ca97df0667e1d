"""How well memory serves, day by day, for whoever runs the agents."""

from datetime import UTC, date, timedelta

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import find_owner
from api.authentication import caller_of
from api.permissions import IsOperator
from api.v1.fields import Body, Text
from api.v1.whose import agent_of
from consolidation.quality.charts import Point, charts

DAYS = 30
MOST_DAYS = 400
# Before it there was nothing to measure, and days are counted back from `until`.
FIRST_DAY = date(2000, 1, 1)


class SpanIn(Body):
    """Days in UTC, both included; by default the last thirty. `user` needs an `agent`."""

    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)
    agent = Text(max_length=41, required=False)
    user = Text(max_length=255, required=False)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        today = timezone.now().astimezone(UTC).date()
        until = attrs.setdefault("until", today)
        assert isinstance(until, date)  # noqa: S101 - a checked field
        if until < FIRST_DAY:
            raise serializers.ValidationError(f"`until` is {FIRST_DAY} or later")
        since = attrs.setdefault("since", until - timedelta(days=DAYS - 1))
        assert isinstance(since, date)  # noqa: S101 - a checked field
        if not timedelta(0) <= until - since <= timedelta(days=MOST_DAYS):
            raise serializers.ValidationError(f"from `since` to `until` are 0 to {MOST_DAYS} days")
        if "user" in attrs and "agent" not in attrs:
            raise serializers.ValidationError("`user` is an id of an agent: name the `agent`")
        return attrs


class Measures(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(parameters=[SpanIn])
    def get(self, request: Request) -> Response:
        """Show each measure by day: its part, the whole, and their quotient."""
        query = SpanIn(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        organization = caller_of(request).organization.pk
        slug, user, owner = asked.get("agent"), asked.get("user"), None
        if user:
            found = find_owner(agent=agent_of(request, slug), user=user)
            owner = found.pk if found else 0
        lines = charts(
            organization=organization,
            since=asked["since"],
            until=asked["until"],
            agent=slug,
            owner=owner,
        )
        return Response(
            {"measures": {name: [_shown(point) for point in line] for name, line in lines.items()}}
        )


def _shown(point: Point) -> dict[str, object]:
    return {
        "day": point.day,
        "part": point.part,
        "whole": point.whole,
        "value": None if point.value is None else round(point.value, 4),
    }

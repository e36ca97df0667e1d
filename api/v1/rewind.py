"""A person's memory as it was at a moment."""

from datetime import UTC, datetime

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import UserUnknown
from api.authentication import caller_of
from api.v1.fields import Body, Moment
from api.v1.items import LAYERS
from api.v1.whose import owner_named
from knowledge.history.as_of import Was
from knowledge.history.rewind import memory_as_of


class AsOf(Body):
    """Whose memory, and when."""

    user = serializers.CharField(max_length=255, required=False)
    session = serializers.UUIDField(required=False)
    at = Moment()

    def validate_at(self, value: datetime) -> datetime:
        if value > datetime.now(UTC):
            raise serializers.ValidationError("must not lie in the future")
        return value


class MemoryAsOf(APIView):
    @extend_schema(parameters=[AsOf])
    def get(self, request: Request) -> Response:
        """Show what was known of a person at a moment; what was deleted for good stays gone."""
        query = AsOf(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        owner = owner_named(caller_of(request).agent, asked)
        if owner is None:
            raise UserUnknown("the agent has never met this user")
        memory = memory_as_of(owner, asked["at"])
        return Response(
            {
                "at": memory.at,
                **{
                    layer: [_shown(one) for one in memory.active(kind)]
                    for layer, kind in LAYERS.items()
                },
                "narrative": memory.narrative,
                "scaffold": memory.leaves,
                "proactive_recall": memory.proactive_recall,
            }
        )


def _shown(item: Was) -> dict[str, object]:
    return {"id": item.id, "created_at": item.at, **item.fields}

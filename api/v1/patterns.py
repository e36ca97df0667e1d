"""What comes back over a person's sessions, and the tools that speaks for."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import scope_of
from api.authentication import caller_of
from api.v1.fields import Number, Text
from api.v1.whose import WHOSE, WhoseIn, owner_in_query, owner_named
from knowledge.models import Pattern
from recall.tool_suggestions import suggest_tools

REQUEST_CHARACTERS = 4_000
SHOWN = ("id", "kind", "text", "strength", "sessions", "sources", "first_seen_at", "last_seen_at")


class SuggestionIn(WhoseIn):
    request = Text(max_length=REQUEST_CHARACTERS)
    limit = Number(min_value=1, max_value=20, default=3)


class PatternList(APIView):
    @extend_schema(parameters=WHOSE)
    def get(self, request: Request) -> Response:
        """List what comes back over the person's sessions, with the sessions and arcs it is seen in."""
        owner = owner_in_query(request)
        if owner is None:
            return Response({"patterns": []})
        mine = Pattern.objects.within(scope_of(owner.agent, owner=owner.pk))
        return Response({"patterns": list(mine.order_by("-strength", "key").values(*SHOWN))})


class ToolSuggestions(APIView):
    @extend_schema(request=SuggestionIn)
    def post(self, request: Request) -> Response:
        """Name the tools that this person's requests of the kind have needed before."""
        body = SuggestionIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = owner_named(caller_of(request).agent, asked)
        found = (
            suggest_tools(owner=owner, request=asked["request"], limit=asked["limit"])
            if owner
            else []
        )
        return Response({"suggestions": [asdict(one) for one in found]})

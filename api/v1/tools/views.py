"""The tools over HTTP: listed for a model's API, and called by name."""

from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.v1.fields import Body, Text
from api.v1.tools.base import as_mcp, as_openai
from api.v1.tools.calling import CallContext, call_tool
from api.v1.tools.registry import TOOLS, find_tool
from memory.models.window import Lane
from memory.strict_json import InvalidJson, read_json

FORMS = {"openai": as_openai, "mcp": as_mcp}


class FormIn(Body):
    format = serializers.ChoiceField(choices=list(FORMS), default="openai")


class Arguments(serializers.DictField):
    """An object, or the text of one: chat APIs hand on what a model wrote unread."""

    def to_internal_value(self, data: dict[str, object] | str) -> dict[str, object]:
        try:
            read = read_json(data.encode()) if isinstance(data, str) else data
        except InvalidJson as error:
            raise serializers.ValidationError(str(error)) from error
        value: dict[str, object] = super().to_internal_value(cast("dict[str, object]", read))
        return value


class CallIn(Body):
    """`session` and `lane` say where the model is that calls; `arguments` are what it wrote.

    `user` is whom it is about, where no session tells.
    """

    arguments = Arguments(default=dict)
    session = serializers.UUIDField(required=False, allow_null=True)
    user = Text(max_length=255, required=False, allow_null=True)
    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)


class ToolList(APIView):
    @extend_schema(parameters=[FormIn])
    def get(self, request: Request) -> Response:
        """List the tools, ready to be passed to a chat API, or to be listed over MCP."""
        query = FormIn(data=request.query_params)
        query.is_valid(raise_exception=True)
        shown = FORMS[query.validated_data["format"]]
        return Response({"tools": [shown(tool) for tool in TOOLS]})


class ToolCall(APIView):
    @extend_schema(request=CallIn, parameters=[KEY])
    def post(self, request: Request, name: str) -> Response:
        """Call a tool with the arguments that a model gave it."""
        tool = find_tool(name)
        body = CallIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        place = CallContext(asked.get("session"), asked.get("user"), asked["lane"])
        answer = call_tool(
            tool,
            caller=caller_of(request),
            place=place,
            arguments=asked["arguments"],
            request_key=key_of(request),
        )
        return Response(answer)

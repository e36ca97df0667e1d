"""The address /mcp."""

from asgiref.sync import async_to_sync
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from mcp.types import INVALID_REQUEST, PARSE_ERROR
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.mcp.asking import asking_of
from api.mcp.exchange import exchange
from api.mcp.origin import KnownOrigin
from api.mcp.server import server_for
from api.parsing import MOST_BYTES, BodyTooLarge
from api.permissions import IsAgent
from memory.strict_json import InvalidJson, read_json


class McpEndpoint(APIView):
    """Answers POST alone: it pushes nothing, so there is no stream to GET, and no session to DELETE."""

    permission_classes = (KnownOrigin, IsAgent)

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response | HttpResponse:
        """Answer one JSON-RPC message."""
        asking, body = asking_of(request), _body(request)
        try:
            message = read_json(body)
        except InvalidJson as error:
            return _refused(PARSE_ERROR, str(error))
        if not isinstance(message, dict):
            return _refused(INVALID_REQUEST, "send one JSON-RPC message, and no batch")
        if not isinstance(message.get("id", 0), str | int):
            return _refused(INVALID_REQUEST, "the id of a message is a string or a number")
        reply = async_to_sync(exchange)(server_for(asking), request.headers, body)
        reply.headers.pop("content-length", None)
        return HttpResponse(reply.body, status=reply.status, headers=reply.headers)


def _body(request: Request) -> bytes:
    body: bytes = request._request.read(MOST_BYTES + 1)  # noqa: SLF001 - no parser reads a message whole
    if len(body) > MOST_BYTES:
        raise BodyTooLarge
    return body


def _refused(code: int, message: str) -> Response:
    error = {"code": code, "message": message}
    return Response({"jsonrpc": "2.0", "id": None, "error": error}, status=400)

"""A user's connections to tools: made, changed, deleted, and what each tool says of itself."""

from dataclasses import asdict
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Connection
from accounts.owners import resolve_owner
from api.authentication import caller_of
from api.pagination import page
from api.v1.fields import Body, Flag, IdPage, Text
from api.v1.whose import WHOSE, owner_in_query
from api.versions import IF_MATCH, version_demanded, version_of
from consolidation.edits.own import forget_connection
from consolidation.observations.connections import push_context, read_context
from knowledge.connections import change_connection, connect, find_connection
from knowledge.models import ConnectionContext

SHOWN = (
    "tool",
    "name",
    "is_active",
    "refresh",
    "schema_url",
    "persistent_learned_info",
    "version",
    "created_at",
    "updated_at",
)


class ConnectionEdit(Body):
    """The fields to change; `persistent_learned_info` takes the place of what was learned."""

    tool = Text(max_length=100, required=False)
    name = Text(max_length=200, allow_blank=True, required=False)
    is_active = Flag(required=False)
    refresh = serializers.ChoiceField(choices=Connection.Refresh.choices, required=False)
    schema_url = Text(max_length=500, allow_blank=True, required=False)
    persistent_learned_info = serializers.DictField(required=False)


class ConnectionIn(ConnectionEdit):
    user = Text(max_length=255)
    tool = Text(max_length=100)


class ConnectionContextIn(Body):
    """What the tool says of itself, and which part of that it is."""

    data = serializers.DictField()  # type: ignore[assignment]  # a field, taken away by the metaclass
    kind = serializers.ChoiceField(
        choices=ConnectionContext.Kind.choices, default=ConnectionContext.Kind.SCHEMA
    )


class KindIn(Body):
    kind = serializers.ChoiceField(
        choices=ConnectionContext.Kind.choices, default=ConnectionContext.Kind.SCHEMA
    )


class ConnectionList(APIView):
    @extend_schema(request=ConnectionIn)
    def post(self, request: Request) -> Response:
        """Make a connection of a user's to a tool."""
        body = ConnectionIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller, fields = caller_of(request), dict(body.validated_data)
        owner = resolve_owner(agent=caller.agent, user=fields.pop("user"))
        made = connect(owner=owner, actor=caller.name, fields=fields)
        return _answer(made, status.HTTP_201_CREATED)

    @extend_schema(
        parameters=[IdPage, *WHOSE],
    )
    def get(self, request: Request) -> Response:
        """List a user's connections, newest first."""
        query = IdPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        owner, asked = owner_in_query(request), query.validated_data
        mine = Connection.objects.within(caller_of(request).scope).filter(owner=owner)
        rows = mine.order_by("-pk") if owner else mine.none()
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        results = [_shown(connection) for connection in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class ConnectionDetail(APIView):
    def get(self, request: Request, connection: UUID) -> Response:
        """Show a connection with what was learned of it."""
        return _answer(_found(request, connection))

    @extend_schema(request=ConnectionEdit, parameters=[IF_MATCH])
    def patch(self, request: Request, connection: UUID) -> Response:
        """Change fields of a connection, in the version that was seen."""
        body = ConnectionEdit(data=request.data)
        body.is_valid(raise_exception=True)
        changed = change_connection(
            connection=_found(request, connection),
            actor=caller_of(request).name,
            fields=body.validated_data,
            version=version_demanded(request),
        )
        return _answer(changed)

    @extend_schema(parameters=[IF_MATCH])
    def delete(self, request: Request, connection: UUID) -> Response:
        """Delete a connection with all that was learned of it."""
        forget_connection(
            connection=_found(request, connection),
            actor=caller_of(request).name,
            version=version_of(request),
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


class ConnectionContexts(APIView):
    @extend_schema(parameters=[KindIn])
    def get(self, request: Request, connection: UUID) -> Response:
        """Show what the tool says of itself; `degraded` says why it is an old answer."""
        query = KindIn(data=request.query_params)
        query.is_valid(raise_exception=True)
        kind = query.validated_data["kind"]
        return Response(asdict(read_context(connection=_found(request, connection), kind=kind)))

    @extend_schema(request=ConnectionContextIn)
    def put(self, request: Request, connection: UUID) -> Response:
        """Send what the tool says of itself."""
        body = ConnectionContextIn(data=request.data)
        body.is_valid(raise_exception=True)
        found = _found(request, connection)
        return Response(asdict(push_context(connection=found, **body.validated_data)))


def _found(request: Request, connection: UUID) -> Connection:
    return find_connection(scope=caller_of(request).scope, connection=connection)


def _shown(connection: Connection) -> dict[str, object]:
    return {"id": connection.pk, **{name: getattr(connection, name) for name in SHOWN}}


def _answer(connection: Connection, code: int = status.HTTP_200_OK) -> Response:
    etag = {"ETag": f'"{connection.version}"'}
    return Response(_shown(connection), status=code, headers=etag)

"""The workspace: an agent's Markdown files, for itself or for one of its users."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from accounts.owners import agent_owner
from api.authentication import caller_of
from api.v1.fields import Body, Number, Text
from api.v1.whose import owner_named
from audit.log import record
from consolidation.edits.own import forget_file
from knowledge.errors import FileUnknown
from knowledge.workspace.files import (
    list_files,
    read_file,
    read_version,
    versions_of,
    write_file,
)
from knowledge.workspace.names import MOST_CHARACTERS, SCAFFOLD
from knowledge.workspace.search import search_files

QUERY_CHARACTERS = 1_000
WHOSE = [
    OpenApiParameter("user", str, description="The caller's id for the person."),
    OpenApiParameter("session", OpenApiTypes.UUID, description="A session of the person's."),
]


class PersonIn(Body):
    """A `user`, or whoever a `session` belongs to; without either the agent's own."""

    user = Text(max_length=255, required=False)
    session = serializers.UUIDField(required=False)


class FileIn(Body):
    content = Text(max_length=MOST_CHARACTERS, allow_blank=True)


class WorkspaceSearchIn(PersonIn):
    query = Text(max_length=QUERY_CHARACTERS)
    limit = Number(min_value=1, max_value=50, default=5)


class VersionIn(Body):
    number = serializers.RegexField(r"^[0-9]{1,9}\Z", required=False)


class WorkspaceList(APIView):
    @extend_schema(parameters=WHOSE)
    def get(self, request: Request) -> Response:
        """List the files, those that are always there and those of each day."""
        files = list_files(_owner(request))
        names = ("name", "size", "changed_at", "is_writable")
        results = [{name: getattr(file, name) for name in names} for file in files]
        return Response({"results": results})


class WorkspaceSearch(APIView):
    @extend_schema(request=WorkspaceSearchIn)
    def post(self, request: Request) -> Response:
        """Find the files that hold the words of a question."""
        body = WorkspaceSearchIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = owner_meant(request, asked)
        hits = search_files(owner=owner, query=asked["query"], limit=asked["limit"])
        results = [{"file": h.file, "snippet": h.snippet, "score": h.score} for h in hits]
        return Response({"results": results})


class WorkspaceVersions(APIView):
    @extend_schema(parameters=[*WHOSE, VersionIn])
    def get(self, request: Request, name: str) -> Response:
        """List a file's earlier texts, newest first; with `number`, show that one."""
        query = VersionIn(data=request.query_params)
        query.is_valid(raise_exception=True)
        owner, number = _owner(request), query.validated_data.get("number")
        if number is not None:
            text = read_version(owner=owner, name=name, number=int(number))
            return Response({"name": name, "number": int(number), "content": text})
        names = ("number", "size", "replaced_at")
        found = versions_of(owner=owner, name=name)
        results = [{name: getattr(version, name) for name in names} for version in found]
        return Response({"results": results})


class WorkspaceFile(APIView):
    @extend_schema(parameters=WHOSE)
    def get(self, request: Request, name: str) -> Response:
        """Show a file, its first 200,000 characters."""
        return Response({"name": name, "content": read_file(owner=_owner(request), name=name)})

    @extend_schema(request=FileIn, parameters=WHOSE)
    def put(self, request: Request, name: str) -> Response:
        """Write AGENTS.md, SOUL.md, USER.md, MEMORY.md or HEARTBEAT.md; the text before is kept."""
        body = FileIn(data=request.data)
        body.is_valid(raise_exception=True)
        content = body.validated_data["content"]
        is_changed = write_file(owner=_owner(request), name=name, text=content)
        if is_changed:
            _record(request, "workspace.write", name)
        return Response({"name": name, "content": content, "is_changed": is_changed})

    @extend_schema(parameters=WHOSE)
    def delete(self, request: Request, name: str) -> Response:
        """Delete a file with its earlier texts; one that is always there begins anew."""
        forget_file(owner=_owner(request), name=name, actor=caller_of(request).name)
        return Response(status=status.HTTP_204_NO_CONTENT)


def owner_meant(request: Request, asked: dict[str, object]) -> Owner:
    """Return whose workspace is meant. Raises FileUnknown for a user the agent has never met."""
    agent = caller_of(request).agent
    if not (asked.get("user") or asked.get("session")):
        return agent_owner(agent)
    owner = owner_named(agent, asked)
    if owner is None:
        raise FileUnknown("the agent has never met this user")
    return owner


def _owner(request: Request) -> Owner:
    query = PersonIn(data=request.query_params)
    query.is_valid(raise_exception=True)
    return owner_meant(request, query.validated_data)


def _record(request: Request, action: str, name: str) -> None:
    """Record the act; a file that a person dropped there has a name that may say something."""
    subject = name if name in SCAFFOLD else "another file"
    record(actor=caller_of(request).name, action=action, subject=subject)

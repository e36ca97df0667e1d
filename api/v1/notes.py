"""Notes: what an agent keeps under names of its own, beside the archives of compaction."""

from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from accounts.owners import agent_owner, find_agent_owner, find_owner, resolve_owner, scope_of
from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.pagination import page
from api.v1.fields import Body, Number, Page, Text
from api.versions import IF_MATCH, version_of
from consolidation.edits.own import forget_note
from knowledge.documents.agent import CONTENT_BYTES
from knowledge.models import Entry
from knowledge.notes.entries.names import NAME_CHARACTERS
from knowledge.notes.entries.operations import EntryKind
from knowledge.notes.store import Applied, EntryHit, get_entry, search_entries
from knowledge.notes.write import add_note, amend_note, put_note

DEFAULT_RESULTS = 5
MOST_RESULTS = 200
MOST_ALIASES = 50
QUERY_CHARACTERS = 1_000
WHOSE = OpenApiParameter(
    "user", str, description="The caller's id for the person; left out, the agent's own notes."
)


class WhoseIn(Body):
    user = Text(max_length=255, required=False)


class NoteContentIn(Body):
    content = Text(max_length=CONTENT_BYTES, allow_blank=True)


class NoteIn(WhoseIn, NoteContentIn):
    """A note of `user`, or of the agent's own."""

    name = Text(max_length=NAME_CHARACTERS)
    aliases = serializers.ListField(
        child=Text(max_length=NAME_CHARACTERS), max_length=MOST_ALIASES, default=list
    )


class NamesIn(Body):
    """A new canonical name, one alias more, or both; the old name goes on as an alias."""

    name = Text(max_length=NAME_CHARACTERS, required=False)
    alias = Text(max_length=NAME_CHARACTERS, required=False)


class NoteSearchIn(WhoseIn):
    query = Text(max_length=QUERY_CHARACTERS)
    kind = serializers.ChoiceField(choices=list(EntryKind), required=False, allow_null=True)
    limit = Number(min_value=1, max_value=MOST_RESULTS, default=DEFAULT_RESULTS)


class NotePage(Page, WhoseIn):
    """The cursor is the `number` of the last entry before."""

    kind = serializers.ChoiceField(choices=list(EntryKind), required=False)

    def validate_after(self, value: str) -> int:
        if value and not (value.isascii() and value.isdigit() and len(value) < 10):
            raise serializers.ValidationError("the cursor is the `next` of the page before")
        return int(value or 0)


class NoteList(APIView):
    @extend_schema(
        request=NoteIn,
        parameters=[KEY],
    )
    def post(self, request: Request) -> Response:
        """Add a note under a name that is free."""
        body = NoteIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked, caller = body.validated_data, caller_of(request)
        added = add_note(
            owner=_owner(request, asked.get("user")),
            actor=caller.name,
            name=asked["name"],
            content=asked["content"],
            aliases=asked["aliases"],
            request_key=key_of(request),
        )
        return _put(added)

    @extend_schema(parameters=[NotePage])
    def get(self, request: Request) -> Response:
        """List notes and archives without their contents, newest first."""
        query = NotePage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        owner = _found_owner(request, asked.get("user"))
        rows = Entry.objects.none()
        if owner:
            mine = Entry.objects.within(scope_of(owner.agent, owner=owner.pk))
            rows = mine.listed().order_by("-number")
        if "kind" in asked:
            rows = rows.filter(kind=asked["kind"])
        if asked["after"]:
            rows = rows.filter(number__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        results = [_named(entry) for entry in found]
        return Response({"results": results, "next": found[-1].number if has_more else None})


class NoteDetail(APIView):
    @extend_schema(parameters=[WHOSE])
    def get(self, request: Request, name: str) -> Response:
        """Show a note or an archive by its name or an alias."""
        owner = _found_owner(request, _user_of(request))
        return _answer(get_entry(owner=owner, name=name))

    @extend_schema(
        request=NoteContentIn,
        parameters=[WHOSE, IF_MATCH],
    )
    def put(self, request: Request, name: str) -> Response:
        """Write a note under this name, in the place of the content that is there."""
        body = NoteContentIn(data=request.data)
        body.is_valid(raise_exception=True)
        put = put_note(
            owner=_owner(request, _user_of(request)),
            actor=caller_of(request).name,
            name=name,
            content=body.validated_data["content"],
            expected=version_of(request),
        )
        return _put(put)

    @extend_schema(request=NamesIn, parameters=[WHOSE, IF_MATCH])
    def patch(self, request: Request, name: str) -> Response:
        """Rename a note, or bind one more name to it."""
        body = NamesIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        amended = amend_note(
            owner=_owner(request, _user_of(request)),
            actor=caller_of(request).name,
            name=name,
            new_name=asked.get("name"),
            alias=asked.get("alias"),
            expected=version_of(request),
        )
        return _answer(amended.entry)

    @extend_schema(parameters=[WHOSE, IF_MATCH])
    def delete(self, request: Request, name: str) -> Response:
        """Delete a note and all its names."""
        forget_note(
            owner=_owner(request, _user_of(request)),
            actor=caller_of(request).name,
            name=name,
            expected=version_of(request),
        )
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema_view(
    get=extend_schema(exclude=True),
    put=extend_schema(exclude=True),
    patch=extend_schema(exclude=True),
    delete=extend_schema(exclude=True),
)
class NoteSearch(NoteDetail):
    """The search, at an address that is also that of a note called `search`."""

    @extend_schema(request=NoteSearchIn)
    def post(self, request: Request, name: str) -> Response:
        """Search notes and archives by the words of their contents and names."""
        body = NoteSearchIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        kind = asked.get("kind")
        hits = search_entries(
            owner=_found_owner(request, asked.get("user")),
            query=asked["query"],
            limit=asked["limit"],
            kind=EntryKind(kind) if kind else None,
        )
        return Response({"results": [_hit(hit) for hit in hits]})


def shown(entry: Entry) -> dict[str, object]:
    """Return an entry as its calls answer with it."""
    return _named(entry) | {"content": entry.content}


def _named(entry: Entry) -> dict[str, object]:
    names = ("number", "name", "aliases", "kind", "version", "created_at", "updated_at")
    return {name: getattr(entry, name) for name in names}


def _hit(hit: EntryHit) -> dict[str, object]:
    return shown(hit.entry) | {"score": hit.score}


def _put(put: Applied) -> Response:
    code = status.HTTP_201_CREATED if put.is_new else status.HTTP_200_OK
    return _answer(put.entry, code)


def _answer(entry: Entry, code: int = status.HTTP_200_OK) -> Response:
    return Response(shown(entry), status=code, headers={"ETag": f'"{entry.version}"'})


def _user_of(request: Request) -> str | None:
    query = WhoseIn(data=request.query_params)
    query.is_valid(raise_exception=True)
    user: str | None = query.validated_data.get("user")
    return user


def _owner(request: Request, user: str | None) -> Owner:
    """Return whose notes are to be written, known from then on."""
    agent = caller_of(request).agent
    return resolve_owner(agent=agent, user=user) if user else agent_owner(agent)


def _found_owner(request: Request, user: str | None) -> Owner | None:
    """Return whose notes are to be read; None for whom the agent has never met."""
    agent = caller_of(request).agent
    return find_owner(agent=agent, user=user) if user else find_agent_owner(agent)

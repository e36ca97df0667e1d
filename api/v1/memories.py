"""Memories: five verbs over everything that is remembered of a user."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from accounts.owners import find_owner, resolve_owner
from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.v1.events import MessageIn
from api.v1.fields import EARLIEST, Body, Flag, Moment, Number, Page, Seconds, Text
from api.v1.memory_shapes import (
    KINDS,
    MOST_FORGOTTEN,
    QUERY_CHARACTERS,
    TEXT_CHARACTERS,
    WRITABLE,
    forgettable,
    forgotten,
    query_of,
    shown,
)
from api.versions import IF_MATCH, version_of
from consolidation.memories.add import add_text, kind_for
from consolidation.memories.change import (
    MemoryEdit,
    change_memory,
    forget_memory,
)
from consolidation.memories.tell import LONGEST_WAIT, ToldMemories, add_messages, wait_until_learned
from memory.messages import Draft
from memory.models import Session
from memory.sessions import find_session
from recall.errors import SessionUnknown
from recall.memories.memory import Memory, MemoryKind, MemoryState
from recall.memories.read import (
    LISTED,
    ListPosition,
    find_memory,
    list_memories,
    memories_of_session,
)
from recall.memories.search import search_memories

USER_CHARACTERS = 255
MOST_MESSAGES = 100
LATEST_YEAR = 9_000


class MemoryCreate(Body):
    """What to keep of a user: a `text`, at once, or the `messages` of a conversation, to learn from."""

    user = Text(max_length=USER_CHARACTERS, help_text="Your id for the person.")
    text = Text(max_length=TEXT_CHARACTERS, required=False, help_text="Kept as it is, at once.")
    messages = serializers.ListField(
        child=MessageIn(),
        allow_empty=False,
        max_length=MOST_MESSAGES,
        required=False,
        help_text="Chat messages; without `session` they are a conversation of their own.",
    )
    session = serializers.UUIDField(
        required=False, help_text="An open session that the messages are part of."
    )
    kind = serializers.ChoiceField(
        choices=WRITABLE,
        required=False,
        help_text="What a text becomes: a fact up to 200 characters, else a document.",
    )
    wait = Seconds(
        min_value=0,
        max_value=LONGEST_WAIT,
        default=0,
        help_text="Seconds to wait until messages have been learned from.",
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if ("text" in attrs) == ("messages" in attrs):
            raise serializers.ValidationError("send either `text` or `messages`")
        if "text" in attrs and "session" in attrs:
            raise serializers.ValidationError("`session` goes with `messages`")
        if "messages" in attrs and "kind" in attrs:
            raise serializers.ValidationError("`kind` goes with `text`")
        return attrs


class MemorySearch(Body):
    """What to look for in everything that is remembered of a user."""

    user = Text(max_length=USER_CHARACTERS)
    query = Text(max_length=QUERY_CHARACTERS)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=KINDS), max_length=10, required=False
    )
    since = Moment(required=False, help_text="Said at this moment or later.")
    until = Moment(required=False, help_text="Said before this moment.")
    limit = Number(min_value=1, max_value=100, default=10)
    max_tokens = Number(min_value=1, max_value=1_000_000, required=False)


class MemoryUpdate(Body):
    """What to change."""

    text = Text(max_length=TEXT_CHARACTERS, required=False)
    is_pinned = Flag(required=False, help_text="Of a fact, a rule or a summary.")

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if not attrs:
            raise serializers.ValidationError("name a field that can be changed")
        return attrs


class MemoryForget(Body):
    """First a `query`, which shows what it finds and forgets nothing; then the `ids` to forget."""

    user = Text(max_length=USER_CHARACTERS)
    query = Text(max_length=QUERY_CHARACTERS, required=False)
    ids = serializers.ListField(
        child=serializers.UUIDField(),
        allow_empty=False,
        max_length=MOST_FORGOTTEN,
        required=False,
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if ("query" in attrs) == ("ids" in attrs):
            raise serializers.ValidationError("send a `query`, or the `ids` that one has shown")
        return attrs


class MemoryPage(Page):
    """A page of memories, newest first."""

    user = serializers.CharField(max_length=USER_CHARACTERS)
    kind = serializers.ChoiceField(choices=[kind.value for kind in LISTED], required=False)
    state = serializers.ChoiceField(choices=["active", "all"], default="active")

    def validate_after(self, value: str) -> ListPosition | None:
        return _place(value) if value else None


class MemoryList(APIView):
    @extend_schema(
        request=MemoryCreate,
        parameters=[KEY],
    )
    def post(self, request: Request) -> Response:
        """Keep a text at once, or store a conversation and learn from it in the background."""
        body = MemoryCreate(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        if "messages" in asked:
            told = _told(request, asked["user"], asked["messages"], asked.get("session"))
            return Response(_learned(told, asked["wait"]), status=_code(told.is_repeated))
        return Response(_kept(request, asked), status=status.HTTP_201_CREATED)

    @extend_schema(
        parameters=[MemoryPage],
    )
    def get(self, request: Request) -> Response:
        """List what is remembered of a user, newest first; passages are listed by their session."""
        query = MemoryPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        rows = list_memories(
            owner=find_owner(agent=caller_of(request).agent, user=asked["user"]),
            kinds=[MemoryKind(asked["kind"])] if "kind" in asked else LISTED,
            with_inactive=asked["state"] == "all",
            after=asked["after"],
            limit=asked["limit"] + 1,
        )
        listed = rows[: asked["limit"]]
        cursor = _cursor(listed[-1][0]) if len(rows) > len(listed) else None
        return Response({"results": [shown(memory) for _, memory in listed], "next": cursor})


class MemorySearchView(APIView):
    @extend_schema(
        request=MemorySearch,
    )
    def post(self, request: Request) -> Response:
        """Search facts, rules, summaries, passages, notes and documents at once, best first."""
        body = MemorySearch(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = find_owner(agent=caller_of(request).agent, user=asked["user"])
        found = search_memories(owner=owner, query=query_of(asked))
        return Response(
            {
                "results": [shown(memory) for memory in found.memories],
                "searched_by": found.searched_by,
                "degraded": found.degraded or None,
            }
        )


class MemoryDetail(APIView):
    def get(self, request: Request, memory: UUID) -> Response:
        """Show a memory, whether or not it still counts."""
        row, _ = find_memory(scope=caller_of(request).scope, id=memory)
        return Response(shown(row), headers=_tagged(row))

    @extend_schema(
        request=MemoryUpdate,
        parameters=[IF_MATCH],
    )
    def patch(self, request: Request, memory: UUID) -> Response:
        """Change a memory's text, or pin it. A document with another text has another id."""
        body = MemoryUpdate(data=request.data)
        body.is_valid(raise_exception=True)
        caller, edit = (
            caller_of(request),
            MemoryEdit(**body.validated_data, version=version_of(request)),
        )
        row, owner = find_memory(scope=caller.scope, id=memory)
        id = change_memory(owner=owner, memory=row, edit=edit, actor=caller.name)
        changed, _ = find_memory(scope=caller.scope, id=id)
        return Response(shown(changed), headers=_tagged(changed))

    @extend_schema(
        parameters=[IF_MATCH],
    )
    def delete(self, request: Request, memory: UUID) -> Response:
        """Forget a memory for good, with what was concluded from it."""
        caller = caller_of(request)
        row, owner = find_memory(scope=caller.scope, id=memory)
        forget_memory(owner=owner, memory=row, actor=caller.name, version=version_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class MemoryForgetView(APIView):
    @extend_schema(
        request=MemoryForget,
    )
    def post(self, request: Request) -> Response:
        """Show what a query finds, and forget nothing; or forget for good the ids that are sent."""
        body = MemoryForget(data=request.data)
        body.is_valid(raise_exception=True)
        asked, caller = body.validated_data, caller_of(request)
        owner = find_owner(agent=caller.agent, user=asked["user"])
        if "query" in asked:
            return Response(forgettable(owner, asked["query"]))
        return Response(forgotten(owner, asked["ids"], caller.name))


def _kept(request: Request, asked: Mapping[str, object]) -> dict[str, object]:
    caller, text = caller_of(request), str(asked["text"])
    kind = MemoryKind(str(asked["kind"])) if "kind" in asked else kind_for(text)
    added = add_text(
        owner=resolve_owner(agent=caller.agent, user=str(asked["user"])),
        text=text,
        kind=kind,
        actor=caller.name,
        request_key=key_of(request),
    )
    if added.state is MemoryState.WAITING:
        return _answer(changeset=added.changeset)
    memory, _ = find_memory(scope=caller.scope, id=added.id)
    return _answer(memories=[memory], changeset=added.changeset)


def _told(
    request: Request, user: str, drafts: Sequence[Draft], session: UUID | None
) -> ToldMemories:
    caller = caller_of(request)
    return add_messages(
        agent=caller.agent,
        user=user,
        session=_session(request, user, session) if session else None,
        drafts=drafts,
        key=key_of(request),
    )


def _session(request: Request, user: str, session: UUID) -> Session:
    found = find_session(agent=caller_of(request).agent, session=session)
    if found is None or found.owner.kind != Owner.Kind.USER or found.owner.key != user:
        raise SessionUnknown("no such session of this user")
    return found


def _learned(told: ToldMemories, seconds: float) -> dict[str, object]:
    is_learned = wait_until_learned(session=told.session, seconds=seconds)
    memories = memories_of_session(told.session) if is_learned else []
    return _answer(memories, told.session.pk, told.events, learned=is_learned)


def _answer(
    memories: Sequence[Memory] = (),
    session: UUID | None = None,
    events: Sequence[UUID] = (),
    changeset: UUID | None = None,
    *,
    learned: bool = True,
) -> dict[str, object]:
    return {
        "memories": [shown(memory) for memory in memories],
        "session": session,
        "events": list(events),
        "learned": learned,
        "changeset": changeset,
    }


def _code(is_repeated: bool) -> int:
    return status.HTTP_200_OK if is_repeated else status.HTTP_201_CREATED


def _tagged(memory: Memory) -> dict[str, str]:
    return {"ETag": f'"{memory.version}"'} if memory.version else {}


def _cursor(place: ListPosition) -> str:
    text = f"{place.at.isoformat()} {place.id}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(cursor: str) -> ListPosition:
    """Read a cursor. Raises ValidationError for what is none."""
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        at, _, id = base64.b64decode(padded, altchars=b"-_", validate=True).decode().partition(" ")
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None or not EARLIEST.year < moment.year < LATEST_YEAR:
            raise ValueError("no time that a memory can have")
        return ListPosition(moment, UUID(id))
    except (ValueError, binascii.Error) as error:
        raise serializers.ValidationError("the cursor is the `next` of the page before") from error

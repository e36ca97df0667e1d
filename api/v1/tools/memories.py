"""The five verbs and get_context, for an agent's model."""

from collections.abc import Mapping
from uuid import UUID

from rest_framework import serializers

from accounts.owners import scope_of
from api.v1.fields import Body, Moment, Number, Text
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
from api.v1.tools.base import Json, Tool, ToolInvocation
from api.v1.tools.whose import found_owner_of, owner_of
from consolidation.memories.add import add_text, kind_for
from consolidation.memories.change import MemoryEdit, change_memory
from recall.errors import MemoryUnknown
from recall.memories.context import user_context
from recall.memories.memory import MemoryKind
from recall.memories.read import LISTED, find_memory, list_memories
from recall.memories.search import search_memories

MOST_RESULTS = 50
CONTEXT_TOKENS = 2_000
INCOGNITO: Json = {"memories": [], "reason": "incognito"}


class AddArguments(Body):
    text = Text(max_length=TEXT_CHARACTERS)
    kind = serializers.ChoiceField(choices=WRITABLE, required=False, allow_null=True)


class SearchArguments(Body):
    query = Text(max_length=QUERY_CHARACTERS)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=KINDS), required=False, max_length=10
    )
    since = Moment(required=False)
    until = Moment(required=False)
    limit = Number(min_value=1, max_value=MOST_RESULTS, default=10)


class ListArguments(Body):
    kind = serializers.ChoiceField(choices=[kind.value for kind in LISTED], required=False)
    limit = Number(min_value=1, max_value=MOST_RESULTS, default=20)


class UpdateArguments(Body):
    id = serializers.UUIDField()
    text = Text(max_length=TEXT_CHARACTERS)


class ForgetArguments(Body):
    """The `ids` to forget, or a `query` that shows what there is."""

    ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, allow_empty=False, max_length=MOST_FORGOTTEN
    )
    query = Text(max_length=QUERY_CHARACTERS, required=False)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if ("query" in attrs) == ("ids" in attrs):
            raise serializers.ValidationError("send a `query`, or the `ids` that one has shown")
        return attrs


class ContextArguments(Body):
    query = Text(max_length=QUERY_CHARACTERS, required=False, default="", allow_blank=True)
    max_tokens = Number(min_value=100, max_value=100_000, default=CONTEXT_TOKENS)


def add(call: ToolInvocation, arguments: Json) -> Json:
    """Keep a text at once; nothing in an incognito session."""
    if call.is_incognito:
        return INCOGNITO
    text, named = str(arguments["text"]), arguments.get("kind")
    added = add_text(
        owner=owner_of(call),
        text=text,
        kind=MemoryKind(str(named)) if named else kind_for(text),
        actor=call.actor,
        request_key=call.request_key,
    )
    return {"id": added.id, "kind": added.kind, "state": added.state}


def search(call: ToolInvocation, arguments: Json) -> Json:
    found = search_memories(owner=found_owner_of(call), query=query_of(arguments))
    return {"memories": [shown(memory) for memory in found.memories]}


def list_newest(call: ToolInvocation, arguments: Json) -> Json:
    kind, limit = arguments.get("kind"), arguments["limit"]
    assert isinstance(limit, int), "a checked field"  # noqa: S101 - narrows
    kinds = [MemoryKind(str(kind))] if kind else LISTED
    listed = list_memories(owner=found_owner_of(call), kinds=kinds, limit=limit)
    return {"memories": [shown(memory) for _, memory in listed]}


def update(call: ToolInvocation, arguments: Json) -> Json:
    """Give a memory of the call's owner another text."""
    owner, id = found_owner_of(call), arguments["id"]
    assert isinstance(id, UUID), "a checked field"  # noqa: S101 - narrows
    if owner is None:
        raise MemoryUnknown("there is no such memory")
    scope = scope_of(owner.agent, owner=owner.pk)
    memory, owner = find_memory(scope=scope, id=id)
    edit = MemoryEdit(text=str(arguments["text"]))
    changed = change_memory(owner=owner, memory=memory, edit=edit, actor=call.actor)
    return shown(find_memory(scope=scope, id=changed)[0])


def forget(call: ToolInvocation, arguments: Json) -> Json:
    """Show what a query finds, or forget for good what is named."""
    owner, ids = found_owner_of(call), arguments.get("ids")
    if isinstance(ids, list):
        return forgotten(owner, ids, call.actor)
    return forgettable(owner, str(arguments["query"]))


def get_context(call: ToolInvocation, arguments: Json) -> Json:
    max_tokens = arguments["max_tokens"]
    assert isinstance(max_tokens, int), "a checked field"  # noqa: S101 - narrows
    context = user_context(
        owner=found_owner_of(call), query=str(arguments["query"]), max_tokens=max_tokens
    )
    return {
        "text": context.text,
        "tokens": context.tokens,
        "memories": [memory.id for memory in context.memories],
    }


def _text(description: str, **more: object) -> Json:
    return {"type": "string", "minLength": 1, "description": description, **more}


def _count(description: str, most: int, least: int = 1) -> Json:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def _ids(description: str) -> Json:
    item = {"type": "string", "format": "uuid"}
    return {"type": "array", "items": item, "minItems": 1, "description": description}


def _parameters(properties: Mapping[str, Json], *required: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


QUERY = _text("What to look for, in words.", maxLength=QUERY_CHARACTERS)
TEXT = _text("A statement that makes sense on its own.", maxLength=TEXT_CHARACTERS)
KIND: Json = {"type": "string", "enum": list(KINDS)}
ADD = Tool(
    name="add_memory",
    description=(
        "Keep something about the user for later conversations, at once: a lasting fact, a rule "
        "for how to answer, a note, or a longer document. Never a secret."
    ),
    parameters=_parameters(
        {
            "text": TEXT,
            "kind": {
                "type": "string",
                "enum": WRITABLE,
                "description": "A fact up to 200 characters, else a document, unless you say.",
            },
        },
        "text",
    ),
    arguments=AddArguments,
    run=add,
    knows_incognito=True,
)
SEARCH = Tool(
    name="search_memory",
    description=(
        "Search everything that is remembered of the user, by words and meaning: facts, rules, "
        "summaries and passages of earlier conversations, notes and documents."
    ),
    parameters=_parameters(
        {
            "query": QUERY,
            "kinds": {"type": "array", "items": KIND, "description": "All kinds unless named."},
            "since": _text("Said at this moment or later.", format="date-time"),
            "until": _text("Said before this moment.", format="date-time"),
            "limit": _count("The most results; 10 unless told.", MOST_RESULTS),
        },
        "query",
    ),
    arguments=SearchArguments,
    run=search,
    is_read_only=True,
)
LIST = Tool(
    name="list_memories",
    description="List what is remembered of the user, newest first.",
    parameters=_parameters(
        {
            "kind": {"type": "string", "enum": [kind.value for kind in LISTED]},
            "limit": _count("The most results; 20 unless told.", MOST_RESULTS),
        }
    ),
    arguments=ListArguments,
    run=list_newest,
    is_read_only=True,
)
UPDATE = Tool(
    name="update_memory",
    description="Correct a memory: put another text in the place of the one that it has.",
    parameters=_parameters(
        {"id": _text("The memory's id.", format="uuid"), "text": TEXT}, "id", "text"
    ),
    arguments=UpdateArguments,
    run=update,
    is_destructive=True,
)
FORGET = Tool(
    name="forget_memory",
    description=(
        "Forget memories for good. First call it with a `query`, which only shows what it finds; "
        "then with the `ids` to forget."
    ),
    parameters=_parameters(
        {"query": QUERY, "ids": _ids("Ids of the memories to forget for good.")}
    ),
    arguments=ForgetArguments,
    run=forget,
    is_destructive=True,
)
CONTEXT = Tool(
    name="get_context",
    description=(
        "Get what you should know of the user before you answer, as one text: their rules, who "
        "they are, and what is remembered that fits the query."
    ),
    parameters=_parameters(
        {
            "query": _text("What the user just said.", maxLength=QUERY_CHARACTERS),
            "max_tokens": _count("The most tokens; 2,000 unless told.", 100_000, 100),
        }
    ),
    arguments=ContextArguments,
    run=get_context,
    is_read_only=True,
)
TOOLS = (ADD, SEARCH, LIST, UPDATE, FORGET, CONTEXT)

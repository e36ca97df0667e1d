"""remember, recall and forget: notes by name, for an agent's model."""

from collections.abc import Sequence

from rest_framework import serializers

from api.v1.fields import Body, Number, Text
from api.v1.tools.base import Json, Tool, ToolInvocation
from api.v1.tools.whose import found_owner_of, owner_of
from consolidation.edits.own import forget_note
from knowledge.documents.agent import CONTENT_BYTES
from knowledge.notes.entries.names import NAME_CHARACTERS
from knowledge.notes.store import search_entries
from knowledge.notes.write import put_note

DEFAULT_RESULTS = 5
MOST_RESULTS = 50
MOST_ALIASES = 50
QUERY_CHARACTERS = 1_000
NOTHING = "no memories found"


class RememberIn(Body):
    name = Text(max_length=NAME_CHARACTERS)
    content = Text(max_length=CONTENT_BYTES, allow_blank=True)
    aliases = serializers.ListField(
        child=Text(max_length=NAME_CHARACTERS),
        max_length=MOST_ALIASES,
        required=False,
        allow_null=True,
    )


class RecallNotesIn(Body):
    query = Text(max_length=QUERY_CHARACTERS)
    limit = Number(min_value=1, max_value=MOST_RESULTS, required=False, allow_null=True)


class ForgetIn(Body):
    name = Text(max_length=NAME_CHARACTERS)


def remember(call: ToolInvocation, arguments: Json) -> Json:
    """Write a note, in the place of the one of this name."""
    aliases = arguments.get("aliases")
    put = put_note(
        owner=owner_of(call),
        actor=call.actor,
        name=str(arguments["name"]),
        content=str(arguments["content"]),
        aliases=aliases if isinstance(aliases, Sequence) else (),
    )
    outcome = "added" if put.is_new else "rewritten" if put.is_changed else "unchanged"
    return {"name": put.entry.name, "aliases": put.entry.aliases, "outcome": outcome}


def recall(call: ToolInvocation, arguments: Json) -> Json:
    """Return the best notes and archives as blocks of text."""
    limit = arguments.get("limit")
    hits = search_entries(
        owner=found_owner_of(call),
        query=str(arguments["query"]),
        limit=limit if isinstance(limit, int) else DEFAULT_RESULTS,
    )
    blocks = [f"## {hit.entry.name}\n{hit.entry.content}" for hit in hits]
    return {"content": "\n\n".join(blocks) or NOTHING}


def forget(call: ToolInvocation, arguments: Json) -> Json:
    """Delete a note by its name or an alias."""
    gone = forget_note(owner=owner_of(call), actor=call.actor, name=str(arguments["name"]))
    return {"name": gone.name, "outcome": "forgotten"}


def _text(description: str, **more: object) -> Json:
    return {"type": "string", "description": description, **more}


def _parameters(properties: Json, *required: str) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


NAME = _text("The note's name, or an alias of it.", minLength=1, maxLength=NAME_CHARACTERS)
REMEMBER = Tool(
    name="remember",
    description=(
        "Keep a note under a name. A note of that name is replaced by what you write, so write all "
        "of it."
    ),
    parameters=_parameters(
        {
            "name": NAME,
            "content": _text("The whole text of the note."),
            "aliases": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": NAME_CHARACTERS},
                "maxItems": MOST_ALIASES,
                "description": "Further names to find it by; earlier ones stay.",
            },
        },
        "name",
        "content",
    ),
    arguments=RememberIn,
    run=remember,
    is_destructive=True,
)
RECALL = Tool(
    name="recall",
    description=(
        "Search your notes and the summaries of earlier parts of conversations by words: those of "
        "their names and texts, not by meaning."
    ),
    parameters=_parameters(
        {
            "query": _text("The words to look for.", minLength=1, maxLength=QUERY_CHARACTERS),
            "limit": {
                "type": "integer",
                "description": "The most results; 5 unless told.",
                "minimum": 1,
                "maximum": MOST_RESULTS,
            },
        },
        "query",
    ),
    arguments=RecallNotesIn,
    run=recall,
    is_read_only=True,
)
FORGET = Tool(
    name="forget",
    description="Delete a note and all its names, for good.",
    parameters=_parameters({"name": NAME}, "name"),
    arguments=ForgetIn,
    run=forget,
    is_destructive=True,
)
TOOLS = (REMEMBER, RECALL, FORGET)

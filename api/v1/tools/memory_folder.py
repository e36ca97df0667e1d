"""memory: Anthropic's tool of the type memory_20250818, on notes."""

from collections.abc import Callable

from rest_framework import serializers

from api.v1.fields import Body, Number, Text
from api.v1.tools.base import Json, Tool, ToolInvocation
from api.v1.tools.whose import found_owner_of, owner_of
from consolidation.edits.own import forget_note
from knowledge.documents.agent import CONTENT_BYTES
from knowledge.errors import CommandRefused, ContentUnfit, EntryExists, NameUnfit
from knowledge.notes.folder import MemoryFolder
from knowledge.notes.write import once_only

PATH_CHARACTERS = 1_000
# What each command needs; `view` may have a range besides.
NEEDS = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
# A repetition of what was done: the answer of the first time was not kept.
REPEATED = "This was done already."


def _path() -> Text:
    return Text(max_length=PATH_CHARACTERS, required=False, allow_null=True)


def _content() -> Text:
    return Text(max_length=CONTENT_BYTES, required=False, allow_null=True, allow_blank=True)


class MemoryIn(Body):
    """One command with what it needs; whatever else stands there is not looked at."""

    command = serializers.ChoiceField(choices=list(NEEDS))
    path = _path()
    view_range = serializers.ListField(
        child=Number(), min_length=2, max_length=2, required=False, allow_null=True
    )
    file_text = _content()
    old_str = _content()
    new_str = _content()
    insert_line = Number(required=False, allow_null=True)
    insert_text = _content()
    old_path = _path()
    new_path = _path()

    def validate(self, asked: dict[str, object]) -> dict[str, object]:
        command = str(asked["command"])
        missing = [name for name in NEEDS[command] if asked.get(name) is None]
        if missing:
            raise serializers.ValidationError({name: [f"{command} needs it"] for name in missing})
        return asked


def memory(call: ToolInvocation, arguments: Json) -> Json:
    """Do a command; what is refused is told to the model, and is no failure of the call."""
    try:
        return {"content": _done(call, arguments), "is_error": False}
    except CommandRefused as refused:
        return {"content": str(refused), "is_error": True}
    except (NameUnfit, ContentUnfit, EntryExists) as fault:
        return {"content": f"{fault}. {fault.hint}", "is_error": True}


def _done(call: ToolInvocation, arguments: Json) -> str:
    if arguments["command"] == "view":
        given = arguments.get("view_range")
        view_range = given if isinstance(given, list) else None
        folder = MemoryFolder(found_owner_of(call), call.actor)
        return folder.view(str(arguments["path"]), view_range)
    owner = owner_of(call)
    command = str(arguments["command"])
    needed = [arguments[name] for name in NEEDS[command]]
    done = once_only(
        owner=owner,
        request_key=call.request_key,
        request=["memory", command, *needed],
        write=lambda: CHANGES[command](MemoryFolder(owner, call.actor, forget_note), arguments),
    )
    return REPEATED if done is None else done


CHANGES: dict[str, Callable[[MemoryFolder, Json], str]] = {
    "create": lambda folder, given: folder.create(str(given["path"]), str(given["file_text"])),
    "str_replace": lambda folder, given: folder.str_replace(
        str(given["path"]), str(given["old_str"]), str(given["new_str"])
    ),
    "insert": lambda folder, given: folder.insert(
        str(given["path"]), int(str(given["insert_line"])), str(given["insert_text"])
    ),
    "delete": lambda folder, given: folder.delete(str(given["path"])),
    "rename": lambda folder, given: folder.rename(str(given["old_path"]), str(given["new_path"])),
}


def _text(description: str, **more: object) -> Json:
    return {"type": "string", "description": description, **more}


PARAMETERS: Json = {
    "type": "object",
    "properties": {
        "command": _text("What to do.", enum=list(NEEDS)),
        "path": _text("A file or folder below /memories; all commands but rename need it."),
        "view_range": {
            "type": "array",
            "items": {"type": "integer"},
            "minItems": 2,
            "maxItems": 2,
            "description": "view: the first and the last line to show; -1 is the end.",
        },
        "file_text": _text("create: the text of the new file."),
        "old_str": _text("str_replace: the text to replace; it must stand there once."),
        "new_str": _text("str_replace: what to put in its place."),
        "insert_line": {
            "type": "integer",
            "description": "insert: after which line; 0 is the top.",
        },
        "insert_text": _text("insert: the text to put there."),
        "old_path": _text("rename: the file or folder."),
        "new_path": _text("rename: where it goes."),
    },
    "required": ["command"],
    "additionalProperties": False,
}
MEMORY = Tool(
    name="memory",
    description=(
        "Your memory as files below /memories: view, create, str_replace, insert, delete, rename. "
        "/memories/profile.md and /memories/archives are to be read only."
    ),
    parameters=PARAMETERS,
    arguments=MemoryIn,
    run=memory,
    is_destructive=True,
)
TOOLS = (MEMORY,)

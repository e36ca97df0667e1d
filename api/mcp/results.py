"""What tools answer, and how they fail, as the protocol shows it."""

import logging
from collections.abc import Mapping

import orjson
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as Listed

from api.errors import body, problem
from api.mcp.asking import WHERE, Asking
from api.v1.tools.base import Json, Tool

log = logging.getLogger(__name__)
PLACES: Mapping[str, Json] = {
    "user": {"type": "string", "description": "Whom it is about: your id for the person."},
    "session": {"type": "string", "format": "uuid", "description": "The session you are in."},
}


def listed(tool: Tool, asking: Asking) -> Listed:
    """Return a tool with its hints, and with where it is called as arguments if nothing fixes that."""
    schema, own = dict(tool.parameters), tool.parameters.get("properties")
    properties = dict(own) if isinstance(own, Mapping) else {}
    if not asking.is_fixed:
        properties = {name: PLACES[name] for name in WHERE} | properties
    schema["properties"] = properties
    hints = ToolAnnotations(
        read_only_hint=tool.is_read_only,
        destructive_hint=tool.is_destructive,
        open_world_hint=False,
    )
    return Listed(
        name=tool.function_name,
        description=tool.description,
        input_schema=schema,
        annotations=hints,
    )


def answered(answer: Json) -> CallToolResult:
    return _result(answer, is_error=False)


def failed(error: Exception) -> CallToolResult:
    """Return a failure with the code and the hint that REST answers with."""
    known = problem(error, {})
    if known is not None:
        return _result(known.data, is_error=True)
    log.error("a tool failed: %s", type(error).__name__, exc_info=error)
    return _result(body(500, "internal_error", "this should not have happened"), is_error=True)


def encoded(value: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _result(value: Json, *, is_error: bool) -> CallToolResult:
    text = encoded(value)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=orjson.loads(text),
        is_error=is_error,
    )

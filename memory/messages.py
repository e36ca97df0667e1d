"""OpenAI chat messages to event drafts and back (pure)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

Json = Mapping[str, object]
TYPE_OF_ROLE = {
    "user": "UserMsg",
    "assistant": "ModelOutput",
    "tool": "ToolResultCommitted",
    "system": "InjectedInstruction",
    "developer": "InjectedInstruction",
}
ROLE_OF_TYPE = {
    "UserMsg": "user",
    "ModelOutput": "assistant",
    "ToolResultCommitted": "tool",
    "InjectedInstruction": "system",
    "CoreJobStart": "system",
}
INJECTED = "[INJECTED] "
LANES = ("edge", "core")
# What a user's message asks for when it is this and nothing else but a focus, in one line; the words
# are no one's to read. PostgreSQL reads the same pattern.
COMMAND_PATTERN = r"^\s*/compact([ \t]+[^\n]{1,250})?\s*$"
COMMAND = re.compile(COMMAND_PATTERN)


class Malformed(ValueError):
    """A message or payload that cannot become an event; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has a place in the log. `occurred_at` None means now."""

    type: str
    payload: dict[str, object]
    lane: str = "edge"
    tool_call_id: str = ""
    skill_phase: str = ""
    occurred_at: datetime | None = field(default=None)


def draft_of(message: Json) -> Draft:
    """Map one chat message to an event. Raises Malformed for an unknown role or a bad shape."""
    role = message.get("role")
    if not isinstance(role, str) or role not in TYPE_OF_ROLE:
        raise Malformed(f"role must be one of {', '.join(TYPE_OF_ROLE)}")
    wanted = ("content", "name", "tool_calls")
    payload = {key: message[key] for key in wanted if message.get(key) is not None}
    call = message.get("tool_call_id", "")
    when = message.get("occurred_at")
    lane = message.get("lane", "edge")
    if lane not in LANES:
        raise Malformed(f"lane must be one of {', '.join(LANES)}")
    draft = Draft(
        type=TYPE_OF_ROLE[role],
        payload=payload,
        lane=str(lane),
        tool_call_id=call if isinstance(call, str) else "",
        occurred_at=when if isinstance(when, datetime) else None,
    )
    check(draft)
    return draft


def check(draft: Draft) -> None:
    """Refuse a payload that no message could be built from. Raises Malformed."""
    content, calls = draft.payload.get("content"), draft.payload.get("tool_calls")
    if calls is not None and draft.type != "ModelOutput":
        raise Malformed("only an assistant's message has tool_calls")
    if calls is not None:
        _check_calls(calls)
    if content is None and not calls:
        raise Malformed("content is required: a string, or a list of content parts")
    if content is not None and not isinstance(content, str):
        _check_parts(content)
    if draft.type == "ToolResultCommitted" and not draft.tool_call_id:
        raise Malformed("a tool's result needs the tool_call_id that it answers")
    name = draft.payload.get("name")
    if name is not None and not (isinstance(name, str) and 0 < len(name) <= 100):
        raise Malformed("name must be a string of 1 to 100 characters")


def message_of(kind: str, payload: Json, tool_call_id: str = "") -> dict[str, object]:
    """Map an event back to the chat message it stands for (CH-36 to CH-39)."""
    message: dict[str, object] = {"role": ROLE_OF_TYPE[kind], "content": payload.get("content")}
    if kind == "InjectedInstruction":
        message["content"] = spoken(kind, payload)
    if kind == "ToolResultCommitted":
        message["tool_call_id"] = tool_call_id
    for key in ("name", "tool_calls"):
        if key in payload:
            message[key] = payload[key]
    return message


def speaker_of(kind: str, payload: Json) -> str:
    """Return who said it: the name it came with, or else its role."""
    return str(payload.get("name") or ROLE_OF_TYPE[kind])


def text_of(payload: Json) -> str:
    """Return the words of a payload: its content, and what its tool calls name and ask."""
    parts = [_words(payload.get("content"))]
    calls = payload.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function", {}) if isinstance(call, dict) else {}
        if isinstance(function, dict):
            parts.append(f"{function.get('name', '')} {function.get('arguments', '')}".strip())
    return "\n".join(part for part in parts if part)


def spoken(kind: str, payload: Json) -> str:
    """Return the words that a prompt shows of an event: what it costs."""
    return INJECTED + text_of(payload) if kind == "InjectedInstruction" else text_of(payload)


def is_command(kind: str, payload: Json) -> bool:
    """Say whether an event asks us to compact: it is kept in the log, and in no prompt or summary."""
    content = payload.get("content")
    return kind == "UserMsg" and isinstance(content, str) and bool(COMMAND.match(content))


def focus_of(payload: Json) -> str:
    """Return what a command to compact asks the summary to keep above all; empty for nothing."""
    content = payload.get("content")
    found = COMMAND.match(content) if isinstance(content, str) else None
    return (found[1] or "").strip() if found else ""


def call_ids(payload: Json) -> frozenset[str]:
    """Return the ids of the tool calls that a payload makes."""
    calls = payload.get("tool_calls")
    found = calls if isinstance(calls, list) else []
    return frozenset(str(call["id"]) for call in found if _is_call(call))


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (
        [part.get("text") for part in content if isinstance(part, dict)]
        if isinstance(content, list)
        else []
    )
    return "\n".join(text for text in texts if isinstance(text, str))


def _check_calls(calls: object) -> None:
    if not isinstance(calls, list) or not all(_is_call(call) for call in calls):
        raise Malformed("tool_calls must be a list of {id, type, function: {name, arguments}}")


def _is_call(call: object) -> bool:
    if not isinstance(call, dict) or not isinstance(call.get("id"), str):
        return False
    function = call.get("function")
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def _check_parts(content: object) -> None:
    parts = content if isinstance(content, list) else None
    if parts is None or not all(
        isinstance(p, dict) and isinstance(p.get("type"), str) for p in parts
    ):
        raise Malformed("content must be a string, or a list of parts with a type")

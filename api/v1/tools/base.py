"""What a tool is, and what a call of one knows of its caller."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rest_framework import serializers

from accounts.models import Agent
from memory.models import Session

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolInvocation:
    """Who calls, and in which session and lane its model is; `session` None is in none.

    `user` is the caller's id for the person it is about, None where the session tells or nobody is
    meant. `request_key` makes a repeated write happen once. In an incognito session nothing is to
    be kept.
    """

    agent: Agent
    actor: str
    session: Session | None
    lane: str
    request_key: str | None = None
    user: str | None = None
    is_incognito: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """A function of a model: `parameters` is its JSON schema, `arguments` what checks a call.

    Two hints tell a host what a call may do: nothing but read, or take something away.
    `knows_incognito` says that it answers in an incognito session, and keeps nothing there.
    """

    name: str
    description: str
    parameters: Json
    arguments: type[serializers.Serializer]
    run: Callable[[ToolInvocation, Json], Json]
    is_read_only: bool = False
    is_destructive: bool = False
    knows_incognito: bool = False

    @property
    def function_name(self) -> str:
        """The name as it is published: hosts refuse dots, and then the whole server with them."""
        return self.name.replace(".", "_")


def as_openai(tool: Tool) -> Json:
    """Return the tool as chat APIs take it."""
    return {
        "type": "function",
        "function": {
            "name": tool.function_name,
            "description": tool.description,
            "parameters": tool.parameters,
        },
    }


def as_mcp(tool: Tool) -> Json:
    """Return the tool as the Model Context Protocol lists it."""
    return {
        "name": tool.function_name,
        "description": tool.description,
        "inputSchema": tool.parameters,
        "annotations": {
            "readOnlyHint": tool.is_read_only,
            "destructiveHint": tool.is_destructive,
            "openWorldHint": False,
        },
    }

"""The contract of what a chat model makes of a user's inbox: calls of one tool, by item."""

from typing import Annotated, Literal

from pydantic import Field

from providers.answers import Contract, Key, Reference, Value

TOOL = "context_tool__update_user_context"
MOST_CALLS = 100
MOST_PARTS = 20
Named = Annotated[dict[Key, Value], Field(max_length=MOST_PARTS)]
Listed = Annotated[list[Value], Field(max_length=MOST_PARTS)]


class UpdateUserContext(Contract):
    """What one item says of the user; `item` is the ref of its line."""

    name: Literal["context_tool__update_user_context"]
    item: Reference
    scaffold_updates: Annotated[dict[Key, Value | Listed | Named], Field(max_length=MOST_PARTS)]
    persistent_info_additions: Listed


class InboxReading(Contract):
    """An empty list is the usual answer: most of an inbox says nothing of the user that lasts."""

    tool_calls: Annotated[list[UpdateUserContext], Field(max_length=MOST_CALLS)]

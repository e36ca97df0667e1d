"""Which tools a host is shown: a model chooses better among few."""

from collections.abc import Mapping

from api.v1.tools.base import Tool
from api.v1.tools.registry import TOOLS

EVERY = "all"
PROFILES: Mapping[str, tuple[str, ...]] = {
    "default": (
        "add_memory",
        "search_memory",
        "list_memories",
        "update_memory",
        "forget_memory",
        "get_context",
    ),
    "notes": ("remember", "recall", "forget", "memory"),
    "workspace": ("memory_search", "memory_save", "memory_recall"),
    "context": (
        "context_tool.record_observation",
        "context_tool.update_user_context",
        "context_tool.update_connection_context",
    ),
    "choir": ("choir.memory.query", "choir.memory.upsert", "choir.memory.compact"),
}


def tools_of(profile: str) -> tuple[Tool, ...]:
    """Return the tools of a profile, in its order."""
    if profile == EVERY:
        return TOOLS
    by_name = {tool.name: tool for tool in TOOLS}
    return tuple(by_name[name] for name in PROFILES[profile] if name in by_name)

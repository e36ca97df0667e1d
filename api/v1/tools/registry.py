"""Every tool, in the order in which they are listed."""

from rest_framework.exceptions import NotFound

from api.v1.tools import choir, context, legion, memories, memory_folder, notes
from api.v1.tools.base import Tool

TOOLS: tuple[Tool, ...] = (
    *choir.TOOLS,
    *context.TOOLS,
    *notes.TOOLS,
    *memory_folder.TOOLS,
    *legion.TOOLS,
    *memories.TOOLS,
)


def find_tool(name: str) -> Tool:
    """Return the tool of this name, in either spelling. Raises NotFound."""
    for tool in TOOLS:
        if name in {tool.name, tool.function_name}:
            return tool
    raise NotFound("there is no such tool")

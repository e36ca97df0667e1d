"""The tools that go beside a prompt: the agent's own, and the one by which its model observes."""

from collections.abc import Mapping

from accounts.models import Agent
from memory.models.window import Lane

Schema = Mapping[str, object]
LEAST_BUDGET = 2_000
RECORD = "context_tool.record_observation"
CATEGORIES = ("fact", "preference", "project_details", "correction")
RECORD_DESCRIPTION = (
    "Note something new that the user has told or shown of themselves, in one sentence. Call it "
    "whenever you notice such a thing; you need not be asked to."
)
RECORD_PARAMETERS: Schema = {
    "type": "object",
    "properties": {
        "content": {"type": "string", "description": "What you have noticed.", "maxLength": 4_000},
        "category": {
            "type": "string",
            "description": "correction: what was known before is wrong.",
            "enum": list(CATEGORIES),
        },
    },
    "required": ["content", "category"],
    "additionalProperties": False,
}
UPDATE = "context_tool.update_connection_context"
UPDATE_DESCRIPTION = "Keep what you have learned of one of the user's connections to a tool."
PROPERTIES: Schema = {
    "connection": {"type": "string", "format": "uuid", "description": "The connection's id."},
    "learned_info": {
        "type": "object",
        "description": "Names and values; null takes a name away. The rest stays.",
    },
}
UPDATE_PARAMETERS: Schema = {
    "type": "object",
    "properties": PROPERTIES,
    "required": ["connection", "learned_info"],
    "additionalProperties": False,
}


def offered_tools(
    agent: Agent, lane: str, *, budget: float, connections: Mapping[str, str] | None = None
) -> list[object]:
    """Return the schemas of a chat turn's tools, in OpenAI's form; an agent's own of a name stands.

    The agent's own alone where nobody is spoken with, where no picture is kept, and in a budget of
    so few tokens that ours would crowd out the conversation. `connections` are names by id.
    """
    own = list(agent.tools)
    if lane != Lane.EDGE or not agent.keeps_profile or budget < LEAST_BUDGET:
        return own
    ours = [_schema(RECORD, RECORD_DESCRIPTION, RECORD_PARAMETERS)]
    if connections:
        ours.append(_schema(UPDATE, UPDATE_DESCRIPTION, _of(connections)))
    taken = {_name(tool) for tool in own}
    return [*own, *(tool for tool in ours if _name(tool) not in taken)]


def _of(connections: Mapping[str, str]) -> Schema:
    """Return the parameters with the connections that may be named."""
    listed = "; ".join(f"{id} is {name}" for id, name in connections.items())
    said = {"type": "string", "enum": list(connections), "description": f"The id: {listed}."}
    return {**UPDATE_PARAMETERS, "properties": {**PROPERTIES, "connection": said}}


def _schema(name: str, description: str, parameters: Schema) -> Schema:
    function = {
        "name": name.replace(".", "_"),
        "description": description,
        "parameters": parameters,
    }
    return {"type": "function", "function": function}


def _name(tool: object) -> object:
    function = tool.get("function") if isinstance(tool, Mapping) else None
    return function.get("name") if isinstance(function, Mapping) else None

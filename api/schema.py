"""OpenAPI as drf-spectacular finds it, with the failures every call can answer."""

from collections.abc import Mapping

PROBLEM: dict[str, object] = {
    "type": "object",
    "required": ["status", "code", "title", "hint"],
    "properties": {
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable: programs decide by it."},
        "title": {"type": "string"},
        "hint": {"type": "string", "description": "What to do next."},
        "detail": {"type": "object"},
    },
}
FAILURES = {
    "400": "The body cannot be read.",
    "401": "No valid key.",
    "403": "The key lacks the scope.",
    "404": "No such thing, or not yours to see.",
    "409": "Not in this state.",
    "413": "Too large.",
    "415": "Not JSON.",
    "422": "The request does not fit.",
    "429": "Too many requests of this key.",
    "503": "The database did not answer.",
}


def add_failures(
    result: dict[str, dict[str, dict[str, object]]],
    generator: object,
    request: object,
    public: bool,
) -> dict[str, dict[str, dict[str, object]]]:
    """Document problem details beside the successes of each call."""
    content = {"application/problem+json": {"schema": PROBLEM}}
    for calls in result["paths"].values():
        for call in calls.values():
            if isinstance(call, Mapping):
                for status, description in FAILURES.items():
                    call["responses"].setdefault(
                        status, {"description": description, "content": content}
                    )
    return result

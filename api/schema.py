"""The OpenAPI document: each operation as its table names it, and one shape for every failure."""

from collections.abc import Mapping, MutableMapping
from typing import Any

from drf_spectacular.openapi import AutoSchema

from api.v1.operations import OPERATIONS, Operation

PREFIX = "/api/v1/"
PROBLEM: dict[str, object] = {
    "type": "object",
    "description": "A failure, as RFC 9457 has it.",
    "required": ["status", "code", "title", "hint"],
    "properties": {
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable: programs decide by it."},
        "title": {"type": "string"},
        "hint": {"type": "string", "description": "What to do next."},
        "detail": {"type": "object", "additionalProperties": True},
    },
}
FAILURES = {
    "400": ("Unreadable", "The body cannot be read."),
    "401": ("Unauthenticated", "No valid key."),
    "403": ("Forbidden", "The key lacks the scope."),
    "404": ("NotFound", "No such thing, or not yours to see."),
    "409": ("Conflict", "Not in this state."),
    "412": ("Changed", "Not in the version that `If-Match` names."),
    "413": ("TooLarge", "Too large."),
    "415": ("NotJson", "Not JSON."),
    "422": ("Invalid", "The request does not fit."),
    "429": ("Throttled", "Too many requests of this key; `Retry-After` says how long to wait."),
    "503": ("Unavailable", "The database did not answer."),
}
# What only a request with a body, or one that writes, can be answered with.
OF_BODIES = frozenset({"400", "413", "415"})
OF_WRITES = frozenset({"409", "412"})

# As JSON has it.
Document = MutableMapping[str, Any]


class OperationSchema(AutoSchema):
    """An operation with the id, the tag, the summary and the answers that its table gives it."""

    def get_operation_id(self) -> str:
        return self._operation.id if self._operation else super().get_operation_id()

    def get_tags(self) -> list[str]:
        return [self._operation.tag] if self._operation else super().get_tags()

    def get_summary(self) -> str | None:
        summary: str | None = self._operation.summary if self._operation else super().get_summary()
        return summary

    def get_response_serializers(self) -> Any:
        if self._operation:
            return dict(self._operation.answers)
        return super().get_response_serializers()

    @property
    def _operation(self) -> Operation | None:
        return OPERATIONS.get(f"{self.method} {self.path.removeprefix(PREFIX)}")


def add_failures(result: Document, generator: object, request: object, public: bool) -> Document:
    """Document problem details beside the successes of each call, each response named once."""
    components = result.setdefault("components", {})
    for schema in components.get("schemas", {}).values():
        _drop_blank_defaults(schema)
    components.setdefault("schemas", {})["Problem"] = PROBLEM
    components["responses"] = {name: _response(text) for name, text in FAILURES.values()}
    for calls in result["paths"].values():
        for method, call in calls.items():
            if isinstance(call, Mapping):
                for status in _failures(method, call):
                    ref = f"#/components/responses/{FAILURES[status][0]}"
                    call["responses"].setdefault(status, {"$ref": ref})
    return result


def _drop_blank_defaults(schema: Document) -> None:
    """Leave out defaults that a field's own pattern refuses: blank is what says nothing."""
    for field in schema.get("properties", {}).values():
        for form in (field, *field.get("oneOf", ())):
            if form.get("default") == "" and "pattern" in form:
                del form["default"]


def _response(description: str) -> Document:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {"application/problem+json": {"schema": schema}}}


def _failures(method: str, call: Mapping[str, object]) -> list[str]:
    impossible = frozenset() if "requestBody" in call else OF_BODIES
    if method == "get":
        impossible |= OF_WRITES
    return [status for status in FAILURES if status not in impossible]

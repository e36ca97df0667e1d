"""A chat model's words to an answer that fits its contract."""

import re

import orjson
from pydantic import BaseModel, ValidationError

from providers.chat import Answer

# An escaped NUL, and not an escaped backslash before the letters: no database keeps a NUL.
NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
MOST_COMPLAINTS = 5
# What strict endpoints reject in a schema.
UNKNOWN = {"minLength", "maxLength", "default"}


class Misfit(Exception):
    """The reply does not fit. `complaint` may quote it and is for the model alone."""

    def __init__(self, reason: str, complaint: str) -> None:
        super().__init__(reason)
        self.complaint = complaint


def read_reply(text: str, contract: type[Answer]) -> Answer:
    """Return the answer, also out of code fences or with words around it. Raises Misfit."""
    if NUL.search(text):
        raise Misfit("NUL in a text", "a text holds the character NUL")
    try:
        return contract.model_validate(_object(text))
    except ValidationError as error:
        raise _misfit(error) from None


def schema_of(contract: type[BaseModel]) -> dict[str, object]:
    """Return the contract's schema as strict endpoints know it: no limits, no field left out."""
    found = _strictly(contract.model_json_schema())
    return found if isinstance(found, dict) else {}


def is_closed(schema: object) -> bool:
    """Say whether every object of a schema names all its properties, as strict endpoints demand."""
    if isinstance(schema, list):
        return all(is_closed(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    is_open = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    return not is_open and all(is_closed(part) for part in schema.values())


def _object(text: str) -> object:
    # Some models think aloud first.
    text = text.rpartition("</think>")[2]
    for piece in (text, text[text.find("{") : text.rfind("}") + 1]):
        try:
            return orjson.loads(piece)
        except ValueError:
            continue
    raise Misfit("no JSON", "it is not one JSON object")


def _misfit(error: ValidationError) -> Misfit:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    complaints = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found]
    kinds = ", ".join(sorted({one["type"] for one in found})[:MOST_COMPLAINTS])
    return Misfit(f"wrong fields: {kinds}", "; ".join(complaints[:MOST_COMPLAINTS]))


def _strictly(schema: object) -> object:
    if isinstance(schema, list):
        return [_strictly(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _strictly(part) for name, part in schema.items() if name not in UNKNOWN}
    properties = kept.get("properties")
    return {**kept, "required": list(properties)} if isinstance(properties, dict) else kept

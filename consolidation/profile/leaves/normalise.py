"""JSON that came as text inside of JSON, unwrapped (pure)."""

import orjson

from extraction.contracts.profile import MOST_DEPTH, nesting

# What a database cannot keep stays within its quotes.
NUL = "\\u0000"


def normalised(value: object, depth: int = 0) -> object:
    """Return the value with each text that is an object or a list replaced by it, also inside.

    A text that is a number, a boolean or null stays a text, and so does what would be nested
    deeper than ten.
    """
    if isinstance(value, dict):
        return {key: normalised(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list):
        return [normalised(one, depth + 1) for one in value]
    if isinstance(value, str):
        found = _unwrapped(value, depth)
        return value if found is None else normalised(found, depth)
    return value


def _unwrapped(text: str, depth: int) -> object:
    """Return the object or list that a text is, else None."""
    if not text.lstrip().startswith(("{", "[")) or NUL in text:
        return None
    try:
        found: object = orjson.loads(text)
    except ValueError:
        return None
    return found if depth + nesting(found) <= MOST_DEPTH else None

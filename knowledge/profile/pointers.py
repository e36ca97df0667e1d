"""A JSON object as its leaves, each under its JSON Pointer (RFC 6901), and back (pure).

Lists are leaves, since they change as a whole; so are empty objects.
"""

from collections.abc import Iterable, Mapping
from typing import cast

Data = dict[str, object]
Leaves = dict[str, object]


def leaves(data: Mapping[str, object], path: str = "") -> Leaves:
    """Return every leaf of an object by its pointer; none of an empty one."""
    found: Leaves = {}
    for key, value in data.items():
        here = f"{path}/{escaped(key)}"
        if isinstance(value, dict) and value:
            found |= leaves(value, here)
        else:
            found[here] = value
    return found


def built(found: Mapping[str, object]) -> Data:
    """Return the object that has these leaves. No pointer may stand under another one."""
    data: Data = {}
    for path, value in found.items():
        *above, last = keys_of(path)
        here = data
        for key in above:
            here = cast("Data", here.setdefault(key, {}))
        here[last] = value
    return data


def keys_of(path: str) -> list[str]:
    """Return the keys that a pointer goes through. Raises ValueError when it is none."""
    if not path.startswith("/"):
        raise ValueError("a pointer begins with a slash")
    return [key.replace("~1", "/").replace("~0", "~") for key in path[1:].split("/")]


def escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def is_under(path: str, above: str) -> bool:
    """Say whether a pointer is another one, or stands under it."""
    return path == above or path.startswith(f"{above}/")


def meets(path: str, others: Iterable[str]) -> bool:
    """Say whether a pointer is one of the others, or above or under one of them."""
    return any(is_under(path, other) or is_under(other, path) for other in others)

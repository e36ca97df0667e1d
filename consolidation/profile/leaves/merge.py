"""A change of a JSON object, worked into it (pure)."""

from collections.abc import Collection, Mapping

Data = dict[str, object]


def merged(base: Mapping[str, object], patch: Mapping[str, object]) -> Data:
    """Return the base with the patch in it: null takes a key out, lists and plain values replace.

    What the patch leaves out stays as it is.
    """
    found = dict(base)
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        elif isinstance(value, dict):
            below = found.get(key)
            found[key] = merged(below if isinstance(below, dict) else {}, value)
        else:
            found[key] = value
    return found


def allowed(patch: Mapping[str, object], keys: Collection[str]) -> Data:
    """Return the part of a patch under these top-level keys; without any, all of it."""
    return {key: value for key, value in patch.items() if not keys or key in keys}

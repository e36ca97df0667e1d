"""The filters that a playbook's template may use; none makes much of little (pure)."""

import json
from collections.abc import Callable, Mapping, Sequence

from jinja2 import Undefined
from jinja2.exceptions import SecurityError

OUTPUT_CHARACTERS = 64_000


def text_of(value: object) -> str:
    """Return a value as a template shows it: a text as it is, anything else as JSON."""
    if isinstance(value, str | Undefined):
        # A missing value raises what names it.
        return str(value)
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _items(values: object) -> Sequence[object]:
    if isinstance(values, Mapping | list):
        return list(values)
    raise SecurityError(f"a list is expected, and not {str(values)[:20]}")


def _join(values: object, between: object = "") -> str:
    texts, middle = [text_of(value) for value in _items(values)], text_of(between)
    # Counted before it is made: joining long texts with a long text would square the length.
    if sum(map(len, texts)) + len(texts) * len(middle) > OUTPUT_CHARACTERS:
        raise SecurityError("a text becomes too long")
    return middle.join(texts)


def _default(value: object, instead: object = "") -> object:
    return instead if isinstance(value, Undefined) or value in (None, "") else value


def _length(value: object) -> int:
    return len(value) if isinstance(value, str) else len(_items(value))


def _truncate(value: object, length: object = 255) -> str:
    text, most = text_of(value), length if isinstance(length, int) else 255
    return text if len(text) <= most else text[: max(most - 1, 0)] + "…"


FILTERS: Mapping[str, Callable[..., object]] = {
    "default": _default,
    "first": lambda value: next(iter(_items(value)), ""),
    "join": _join,
    "last": lambda value: next(iter(reversed(_items(value))), ""),
    "length": _length,
    "lower": lambda value: text_of(value).lower(),
    "tojson": _json,
    "trim": lambda value: text_of(value).strip(),
    "truncate": _truncate,
    "upper": lambda value: text_of(value).upper(),
}

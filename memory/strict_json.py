"""JSON that PostgreSQL and the rest of us can keep: bounded, without NUL or half characters (pure)."""

import json
from collections.abc import Iterator
from math import isinf

MOST_DEPTH = 32
MOST_KEYS = 1_000
MOST_INTEGER = 2**63


class InvalidJson(ValueError):
    """What was given cannot be read, or cannot be kept; the text says why in one sentence."""


def read_json(source: str | bytes) -> object:
    """Read one JSON value. Raises Unfit."""
    try:
        value: object = json.loads(
            source,
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_int=_integer,
            parse_float=_float,
        )
    except RecursionError as error:
        raise InvalidJson(f"nested deeper than {MOST_DEPTH}") from error
    except json.JSONDecodeError as error:
        raise InvalidJson(f"not JSON: {error.msg} at character {error.pos}") from error
    except UnicodeDecodeError as error:
        raise InvalidJson("not UTF-8") from error
    for text in _texts(value):
        check_text(text)
    return value


def check_text(text: str) -> None:
    """Refuse a string that cannot be stored. Raises Unfit."""
    if "\x00" in text:
        raise InvalidJson("a string holds NUL, which cannot be stored")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidJson("a string holds half a character (a lone surrogate)") from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > MOST_KEYS:
        raise InvalidJson(f"an object has at most {MOST_KEYS} keys")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise InvalidJson(f"{constant} is not JSON")


def _integer(digits: str) -> int:
    # Checked by length first: converting a million digits takes seconds.
    if len(digits) > 20 or not -MOST_INTEGER <= int(digits) < MOST_INTEGER:
        raise InvalidJson("integers have at most 64 bits")
    return int(digits)


def _float(digits: str) -> float:
    if isinf(number := float(digits)):
        raise InvalidJson("a number is larger than a float holds")
    return number


def _texts(value: object) -> Iterator[str]:
    """Yield every string and key; raises Unfit when nested too deep."""
    waiting = [(value, 1)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict | list):
            if depth > MOST_DEPTH:
                raise InvalidJson(f"nested deeper than {MOST_DEPTH}")
            if isinstance(node, dict):
                yield from node
                node = list(node.values())
            waiting += [(child, depth + 1) for child in node]

"""JSON that PostgreSQL and the rest of us can keep: bounded, without NUL or half characters."""

import json
from collections.abc import Iterator, Mapping
from typing import IO

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

MOST_BYTES = 1_048_576
MOST_DEPTH = 32
MOST_KEYS = 1_000
MOST_INTEGER = 2**63


class BodyTooLarge(APIException):
    status_code = 413
    default_code = "body_too_large"
    default_detail = f"a body is at most {MOST_BYTES} bytes; send smaller batches"


class StrictJSONParser(BaseParser):
    """Read a body, or refuse it with what is wrong in one sentence."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        body = stream.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise BodyTooLarge
        try:
            value: dict[str, object] = json.loads(
                body, object_pairs_hook=_object, parse_constant=_refuse, parse_int=_integer
            )
        except RecursionError as error:
            raise ParseError(f"nested deeper than {MOST_DEPTH}") from error
        except ValueError as error:
            raise ParseError(_reason(error)) from error
        for text in _texts(value):
            _check_text(text)
        return value


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at character {error.pos}"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return str(error)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(pairs) > MOST_KEYS:
        raise ValueError(f"an object has at most {MOST_KEYS} keys")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _integer(digits: str) -> int:
    # Checked by length first: converting a million digits takes seconds.
    if len(digits) > 20 or not -MOST_INTEGER <= int(digits) < MOST_INTEGER:
        raise ValueError("integers have at most 64 bits")
    return int(digits)


def _texts(value: object) -> Iterator[str]:
    """Yield every string and key; raises ParseError when nested too deep."""
    waiting = [(value, 1)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict | list):
            if depth > MOST_DEPTH:
                raise ParseError(f"nested deeper than {MOST_DEPTH}")
            if isinstance(node, dict):
                yield from node
                node = list(node.values())
            waiting += [(child, depth + 1) for child in node]


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise ParseError("a string holds NUL, which cannot be stored")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ParseError("a string holds half a character (a lone surrogate)") from error

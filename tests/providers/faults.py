"""What any endpoint may answer instead of an answer."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Answer:
    """`cut` sends half the body, `hangs` none of it before the end, `drips` a byte at a time."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hangs: bool = False
    drips: bool = False


class Request(Protocol):
    """What came in, and how it would be answered well."""

    @property
    def path(self) -> str: ...

    @property
    def texts(self) -> Sequence[str]: ...

    @property
    def authorization(self) -> str: ...

    def answer(self) -> Answer: ...


Fault = Callable[[Request], Answer]


def status(number: int, code: str = "", param: str = "", said: str = "", **headers: str) -> Fault:
    def fault(asked: Request) -> Answer:
        # Real servers quote what displeased them.
        message = said or f"bad: {asked.texts} {asked.authorization}"
        error = {"message": message, "type": "error", "code": code or None, "param": param or None}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Answer(json.dumps({"error": error}).encode(), number, named)

    return fault


def raw(body: bytes, kind: str = "application/json", **more: bool) -> Fault:
    return lambda asked: Answer(body, headers={"content-type": kind}, **more)


def _dated(asked: Request) -> Answer:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    return status(429, retry_after=date)(asked)


FAULTS: dict[str, Fault] = {
    **{str(number): status(number) for number in (400, 401, 403, 404, 408, 409, 413, 422)},
    **{str(number): status(number) for number in (429, 500, 502, 503)},
    "429-seconds": status(429, retry_after="7"),
    "429-long": status(429, retry_after="86400"),
    "429-date": _dated,
    "503-seconds": status(503, retry_after="7"),
    "redirect": status(307, location="/v1/elsewhere"),
    "hang": lambda asked: Answer(b"", hangs=True),
    "drip": lambda asked: replace(asked.answer(), drips=True),
    "cut-body": lambda asked: replace(asked.answer(), cut=True),
    "no-reply": raw(b"", cut=True),
    "html": raw(b"<html>busy</html>", "text/html"),
    "not-json": raw(b'{"data": [{"index"'),
    "null": raw(b"null"),
    "no-data": raw(b'{"object": "list", "data": []}'),
    "huge": lambda asked: Answer(b" " * 11_000_000),
    "compressed": lambda asked: replace(asked.answer(), headers={"content-encoding": "gzip"}),
}

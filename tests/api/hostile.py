"""Inputs that have broken servers of this kind, for every route and field."""

import json
from collections.abc import Iterator

ID = "01a1fc16-b108-7283-92fb-dd5eeee93618"
POSTS: dict[str, dict[str, object]] = {
    "agents": {"slug": "baker", "behaviour": "x", "skills": [], "window_events": 5},
    "agents/porter/keys": {"name": "x", "expires_in_days": 3},
    "sessions": {
        "user": "alice",
        "external_id": "x",
        "mode": "local",
        "strategy": "archive",
        "metadata": {},
    },
    "sessions/SESSION/events": {"messages": [{"role": "user", "content": "x"}]},
    "sessions/SESSION/context": {"query": "x", "max_tokens": 1000, "lane": "edge"},
    "recall": {
        "query": "x",
        "user": "alice",
        "limit": 5,
        "mode": "text",
        "filters": {},
        "max_tokens": 9,
        "widen": 2,
    },
    "sessions/SESSION/end": {"reason": "explicit"},
}
PATCHES: dict[str, dict[str, object]] = {
    "organization": {"name": "Home", "user_text": "The users are bakers."},
    "agents/porter": {
        "name": "x",
        "behaviour": "x",
        "soul": "x",
        "skills": [],
        "language": "english",
        "window_events": 5,
        "context_tokens": 1000,
    },
}
MESSAGE: dict[str, object] = {
    "role": "user",
    "content": "x",
    "name": "a",
    "tool_calls": [],
    "tool_call_id": "c",
}
EVENT: dict[str, object] = {
    "type": "UserMsg",
    "lane": "edge",
    "payload": {"content": "x"},
    "skill_phase": "p",
    "occurred_at": "2026-05-08T00:00:00Z",
}
# Values that a field of any type may be sent.
VALUES: tuple[str, ...] = (
    "null",
    "true",
    "[]",
    "{}",
    "-1",
    "0",
    "1e308",
    "1e999",
    "NaN",
    "9223372036854775808",
    "9" * 400,
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"٣"',
    "[" * 40 + "]" * 40,
    '{"a":{"\\u0000":1}}',
    '"' + "x" * 70_000 + '"',
    '"%s %n {0} \'; drop table memory_event; --"',
    '"\\u202e\\u200b\\ufeff"',
    '"0001-01-01T00:00:00+23:59"',
    '[{"a":[{"b":[null]}]}]',
)
BODIES = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"7",
    b'"text"',
    b"\xff\xfe",
    b"\x00",
    b'{"a":1}}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"query":"x","query":"y","user":"alice"}',
    b" " * 1_048_577,
    json.dumps({str(number): 1 for number in range(1_001)}).encode(),
    b"NaN",
    b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--",
)
TYPES = (
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "",
    "x/y; charset=zzz",
)
QUERIES = (
    "limit=0",
    "limit=-1",
    "limit=201",
    "limit=%D9%A3",
    "limit=9e99",
    "limit=" + "9" * 5_000,
    "limit=%00",
    "after=%00",
    "after=" + "9" * 30,
    "after=-1",
    "after=%F0%9F%92%A9",
    "after=%ED%A0%80",
    "lane=none",
    "state=none",
    "user=%00",
    "user=" + "x" * 300,
    "limit[]=1",
    "format=xml",
)
LISTS = (
    "sessions",
    "sessions/SESSION/events",
    "jobs",
    f"receipts/{ID}",
    "agents/porter",
    "organization",
)
KEYS = (
    "",
    "Bearer",
    "Bearer ",
    "Bearer x",
    "Basic eDp5",
    "Bearer rk_x_y",
    "Bearer rk_" + "a" * 9_000,
    "Bearer \xff\xfe",
    "bearer rk__",
    "Bearer rk_%00_x",
)
PATHS = (
    "sessions/x",
    f"sessions/{ID}",
    f"sessions/{ID}/events",
    "sessions/%00",
    "jobs/99999999999999999999/retry",
    "jobs/999999999999999999/retry",
    "jobs/1/explode",
    "agents/%00",
    "agents/UPPER",
    "receipts/x",
    "../../etc/passwd",
    "%2e%2e/%2e%2e",
    "nothing",
)


def fields() -> Iterator[tuple[str, bytes]]:
    """Yield each route with each of its fields replaced by each value."""
    nested = {
        "sessions/SESSION/events": [("messages", MESSAGE), ("events", EVENT)],
    }
    for path, body in POSTS.items():
        for name in body:
            yield from ((path, _with(body, name, value)) for value in VALUES)
        for outer, item in nested.get(path, []):
            for name in item:
                for value in VALUES:
                    yield path, b'{"' + outer.encode() + b'":[' + _with(item, name, value) + b"]}"


def changes() -> Iterator[tuple[str, bytes]]:
    """Yield each route that is patched with each of its fields replaced by each value."""
    for path, body in PATCHES.items():
        for name in body:
            yield from ((path, _with(body, name, value)) for value in VALUES)


def _with(body: dict, name: str, value: str) -> bytes:
    rest = {key: kept for key, kept in body.items() if key != name}
    text = json.dumps(rest)[:-1] + (", " if rest else "") + f'"{name}": {value}' + "}"
    return text.encode()

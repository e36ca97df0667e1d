"""Inputs that have broken servers of this kind, for every route and field."""

import json
from collections.abc import Iterator

from tests.api.hostile_arguments import ARGUMENTS, ID
from tests.api.hostile_paths import ADDRESSES, GOLDEN, MEMORIES, TEXTS
from tests.api.hostile_paths import KNOWLEDGE_PATHS as KNOWLEDGE_PATHS

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
    "sessions/SESSION/context": {
        "query": "x",
        "max_tokens": 1000,
        "lane": "edge",
        "active_connections": [ID],
        "directives": {"caution": "high"},
        "artifacts": [{"name": "x"}],
    },
    "knowledge": {"key": "k", "content": "x", "metadata": {}},
    "recall": {
        "query": "x",
        "user": "alice",
        "owner": "agent",
        "stores": ["session", "knowledge", "context"],
        "limit": 5,
        "mode": "text",
        "filters": {},
        "max_tokens": 9,
        "widen": 2,
    },
    **MEMORIES,
    **GOLDEN,
    "context-documents": {
        "user": "alice",
        "session": "SESSION",
        "content": "x",
        "context_type": "tool_attachment_content",
        "source": "tool_extracted_content",
        "tool_id": "mail",
        "connection": ID,
        "message_id": "m",
        "attachment_id": "a",
        "filename": "x.pdf",
    },
    "context-documents/search": {
        "user": "alice",
        "session": "SESSION",
        "query": "x",
        "active_connections": [ID],
        "context_types": ["user_profile"],
        "limit": 5,
    },
    "tools/choir.memory.query": {
        "arguments": {"store": "session", "mode": "text", "query": "x"},
        "session": "SESSION",
        "user": "alice",
        "lane": "edge",
    },
    "tools/choir_memory_upsert": {"arguments": {"op": "insert", "content": "x"}},
    "tools/choir.memory.compact": {"arguments": {}, "session": "SESSION", "lane": "core"},
    "tools/memory_search": {"arguments": {"query": "x", "max_results": 3}},
    "tools/memory_save": {"arguments": {"content": "x: y", "category": "z"}, "session": "SESSION"},
    "tools/memory_recall": {"arguments": {"query": "x", "category": "y"}, "session": "SESSION"},
    "workspace/search": {"query": "x", "user": "alice", "session": "SESSION", "limit": 5},
    "saved-facts": {"key": "k", "value": "v", "category": "c", "confidence": 0.5, "user": "alice"},
    "saved-facts/search": {
        "query": "x",
        "user": "alice",
        "limit": 5,
        "category": "c",
        "vectors": True,
    },
    "users/alice/page-link": {"expires_in_seconds": 60},
    "users/alice/erase": {"dry_run": True, "confirm": "x"},
    "memory/forget": {
        "user": "alice",
        "session": "SESSION",
        "query": "x",
        "dry_run": True,
        "confirm": [{"layer": "facts", "id": ID, "version": 1}],
    },
    "notes": {"name": "n", "content": "x", "aliases": ["a"], "user": "alice"},
    "notes/search": {"query": "x", "kind": "note", "limit": 5, "user": "alice"},
    "tools/remember": {"arguments": {"name": "n", "content": "x"}, "session": "SESSION"},
    "sessions/SESSION/crisis": {
        "id": ID,
        "level": 2,
        "classifier_path": "llm_primary",
        "reason": "x",
        "response_node_completed": True,
        "response_style": "warm",
        "resource_count": 1,
        "tool_calls": ["x"],
        "fallback_reason": "x",
    },
    "suggestions": {"user": "alice", "session": "SESSION", "request": "x", "limit": 3},
    "inbox/scores": {"user": "alice", "items": [{"id": "1", "subject": "x"}]},
    "playbooks/render": {"user": "alice", "template": "{{ a }}", "variables": {"a": 1}},
    "sessions/SESSION/end": {"reason": "explicit", "feedback": "skip"},
    "connections": {
        "user": "alice",
        "tool": "tracker",
        "name": "x",
        "is_active": True,
        "refresh": "pushed",
        "schema_url": "x",
        "persistent_learned_info": {"a": 1},
    },
    "inbox": {
        "user": "alice",
        "items": [
            {
                "id": "1",
                "channel": "mail",
                "sender": "bob",
                "subject": "x",
                "text": "x",
                "received_at": "2026-05-08T00:00:00Z",
            }
        ],
    },
    "observations": {
        "user": "alice",
        "session": "SESSION",
        "content": "x",
        "category": "fact",
        "connection": ID,
        "occurred_at": "2026-05-08T00:00:00Z",
    },
}
PUTS: dict[str, dict[str, object]] = {
    **{path: {"content": "x"} for path in TEXTS},
    "budgets": {"agent": "porter", "user": "alice", "micro_usd": 5},
    "users/alice/balance": {"micro_usd": 5},
    "agents/porter/approval": {"user": "alice", "policies": []},
    f"connections/{ID}/context": {"data": {"a": 1}, "kind": "schema"},
}
POLICY: dict[str, object] = {"category": "loss", "mode": "above", "least_confidence": "high"}
PATCHES: dict[str, dict[str, object]] = {
    "notes/n?user=alice": {"name": "m", "alias": "x"},
    f"memories/{ID}": {"text": "x", "is_pinned": True},
    f"saved-facts/{ID}?user=alice": {"value": "x", "category": "y"},
    "memory/recall": {"user": "alice", "session": ID, "enabled": True},
    "memory/sharing": {"user": "alice", "session": ID, "enabled": True},
    f"memory/facts/{ID}?user=alice": {
        "category": "goal",
        "subject": "x",
        "subject_type": "User",
        "predicate": "WANTS",
        "object": "x",
        "object_type": "Goal",
        "confidence": "high",
        "is_pinned": True,
    },
    f"memory/sessions/{ID}?user=alice": {
        "summary": "x",
        "themes": ["x"],
        "open_loops": ["x"],
        "resolved_threads": ["x"],
        "is_pinned": True,
    },
    f"memory/rules/{ID}?user=alice": {"text": "x", "is_pinned": True},
    "users/alice/profile": {"inbox_guidance": "x"},
    "users/alice/profile?part=narrative": {"narrative": "x"},
    "users/alice/profile?part=scaffold": {"scaffold": {"/Role": "x"}},
    "users/alice/profile?part=learned_info": {"learned_info": ["x"]},
    f"connections/{ID}": {
        "tool": "tracker",
        "name": "x",
        "is_active": True,
        "refresh": "http",
        "schema_url": "x",
        "persistent_learned_info": {"a": 1},
    },
    "organization": {"name": "Home", "user_text": "The users are bakers."},
    "agents/porter": {
        "name": "x",
        "behaviour": "x",
        "soul": "x",
        "skills": [],
        "language": "english",
        "learning_policy": "assistant",
        "time_zone": "Europe/Berlin",
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
    "prefix=%00",
    "prefix=" + "x" * 300,
    "contents=maybe",
    "state=none",
    "user=%00",
    "user=" + "x" * 300,
    "format=none",
    "format=%00",
    "limit[]=1",
    "format=xml",
)
LISTS = (
    "memories?user=alice&state=all",
    "sessions",
    "knowledge",
    "notes",
    "tools",
    "sessions/SESSION/events",
    "context-documents?user=alice",
    "golden",
    "jobs",
    f"receipts/{ID}",
    "changesets",
    f"changesets/{ID}",
    "agents/porter",
    "agents/porter/approval",
    "organization",
    "memory/status",
    "memory/as-of?user=alice",
    "memory/as-of?user=alice&at=2026-01-01T00:00:00Z",
    "memory/facts",
    "memory/sessions",
    "memory/rules",
    f"memory/facts/{ID}",
    "users/alice/profile",
    "users/alice/memory-state",
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
    *ADDRESSES,
    "sessions/x",
    "context-documents/x",
    f"context-documents/{ID}",
    f"sessions/{ID}",
    f"sessions/{ID}/events",
    "sessions/%00",
    "agents/nobody/approval",
    "agents/%00",
    "agents/UPPER",
    "receipts/x",
    "../../etc/passwd",
    "%2e%2e/%2e%2e",
    "nothing",
    "memory/as-of?user=%00&at=2026-01-01",
    "memory/as-of?user=alice&at=%00",
    "memory/as-of?user=alice&at=-1",
    "memory/as-of?user=alice&at=99999-01-01T00:00:00Z",
    "memory/as-of?user=alice&at=0001-01-01T00:00:00%2B23:59",
    "memory/as-of?user=alice&user=bob&at=now&at=then",
    "users/%00/profile",
    "users/a/b/profile",
    "users//profile",
    "users/%ED%A0%80/memory-state",
    "users/" + "x" * 300 + "/profile",
)


def fields() -> Iterator[tuple[str, bytes]]:
    """Yield each route with each of its fields replaced by each value."""
    for path, body in POSTS.items():
        yield from ((path, changed) for changed in _changed(body))
    for name, item in (("messages", MESSAGE), ("events", EVENT)):
        for inner in _changed(item):
            yield "sessions/SESSION/events", b'{"%s":[%s]}' % (name.encode(), inner)
    for path, arguments in ARGUMENTS:
        for inner in _changed(arguments):
            yield path, b'{"session":"SESSION","arguments":%s}' % inner


def _changed(body: dict) -> Iterator[bytes]:
    return (_with(body, name, value) for name in body for value in VALUES)


def changes() -> Iterator[tuple[str, bytes]]:
    """Yield each route that is patched with each of its fields replaced by each value."""
    for path, body in PATCHES.items():
        yield from ((path, changed) for changed in _changed(body))


def puts() -> Iterator[tuple[str, bytes]]:
    """Yield each route that is put to with each of its fields replaced by each value."""
    for path, body in PUTS.items():
        yield from ((path, changed) for changed in _changed(body))
    for inner in _changed(POLICY):
        yield "agents/porter/approval", b'{"policies":[%s]}' % inner


def _with(body: dict, name: str, value: str) -> bytes:
    rest = {key: kept for key, kept in body.items() if key != name}
    text = json.dumps(rest)[:-1] + (", " if rest else "") + f'"{name}": {value}' + "}"
    return text.encode()

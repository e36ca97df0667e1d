"""Addresses of what is taken along, given back, erased, changed or golden, and of jobs."""

from tests.api.hostile_arguments import ID

PORTABLE = (
    f"erasures/{ID}",
    f"imports/{ID}",
    "import",
    "import?user=alice",
    "import?user=%00",
    "users/alice/export",
    "users/%00/export",
)
CHANGESETS = (
    "changesets/x",
    f"changesets/{ID}/revert",
    f"changesets/{ID}/items/0/approve",
    f"changesets/{ID}/items/99999999999999999999/approve",
    f"changesets/{ID}/items/999999999999999999/reject",
    f"changesets/{ID}/items/0/explode",
    "jobs/99999999999999999999/retry",
    "jobs/999999999999999999/retry",
    "jobs/1/explode",
)
MEMORIES: dict[str, dict[str, object]] = {
    "memories": {"user": "alice", "text": "x", "kind": "note", "wait": 0},
    "memories?of=messages": {
        "user": "alice",
        "messages": [{"role": "user", "content": "x"}],
        "session": "SESSION",
        "wait": 0,
    },
    "memories/search": {
        "user": "alice",
        "query": "x",
        "kinds": ["fact"],
        "since": "2026-05-08T00:00:00Z",
        "until": "2026-05-08T00:00:00Z",
        "limit": 5,
        "max_tokens": 9,
    },
    "memories/forget": {"user": "alice", "query": "x"},
    "memories/forget?of=ids": {"user": "alice", "ids": [ID]},
    "tools/add_memory": {"arguments": {"text": "x", "kind": "fact"}, "user": "alice"},
    "tools/get_context": {"arguments": {"query": "x", "max_tokens": 500}, "user": "alice"},
}
GOLDEN: dict[str, dict[str, object]] = {
    "golden": {"user": "alice", "query": "x", "expected": [ID], "note": "x"},
    "golden?of=a-receipt": {"receipt": ID, "expected": [ID], "note": "x"},
}
ADDRESSES = (*PORTABLE, *CHANGESETS, "golden/x", f"golden/{ID}")
# What is put there is a text.
TEXTS = (
    "notes/n",
    "notes/n?user=alice",
    "workspace/SOUL.md",
    f"context-documents/{ID}?user=alice",
)
KNOWLEDGE_PATHS = (
    "knowledge/%00",
    "knowledge/a%00b",
    "knowledge/" + "k" * 5_000,
    "knowledge/%ED%A0%80",
    "knowledge/%F0%9F%92%A9",
    "knowledge/a%0Ab",
    "knowledge/%E2%80%AE",
    "knowledge/a/../b",
    "knowledge//",
    "knowledge/ k",
    f"knowledge/{ID}",
    f"knowledge/{ID.upper()}",
    "knowledge/%25s%25n{0}'\";--",
)

"""What every tool may be sent."""

ID = "01a1fc16-b108-7283-92fb-dd5eeee93618"
ARGUMENTS: tuple[tuple[str, dict[str, object]], ...] = (
    (
        "tools/choir.memory.query",
        {"store": "working", "mode": "keyword", "query": "x", "limit": 5, "target_agent": "porter"},
    ),
    ("tools/choir.memory.query", {"store": "working", "mode": "hash", "hash": "ev-" + "0" * 32}),
    ("tools/choir.memory.query", {"store": "session", "mode": "semantic", "query": "x"}),
    (
        "tools/choir.memory.query",
        {"store": "session", "mode": "session_detail", "session_id": ID, "after": ID},
    ),
    ("tools/choir.memory.query", {"store": "knowledge", "mode": "text", "query": '"x"'}),
    (
        "tools/choir_memory_upsert",
        {"op": "update", "key": "k", "content": "x", "metadata": {}, "target_agent": "porter"},
    ),
    ("tools/choir_memory_upsert", {"op": "delete", "key": "k", "id": ID}),
    ("tools/remember", {"name": "n", "content": "x", "aliases": ["a"]}),
    ("tools/recall", {"query": "x", "limit": 5}),
    ("tools/forget", {"name": "n"}),
    ("tools/memory", {"command": "view", "path": "/memories", "view_range": [1, -1]}),
    ("tools/memory", {"command": "create", "path": "/memories/n", "file_text": "x"}),
    (
        "tools/memory",
        {"command": "str_replace", "path": "/memories/n", "old_str": "x", "new_str": "y"},
    ),
    (
        "tools/memory",
        {"command": "insert", "path": "/memories/n", "insert_line": 0, "insert_text": "x"},
    ),
    ("tools/memory", {"command": "delete", "path": "/memories/n"}),
    ("tools/memory", {"command": "rename", "old_path": "/memories/n", "new_path": "/memories/m"}),
    ("tools/context_tool.record_observation", {"content": "x", "category": "fact"}),
    (
        "tools/context_tool.update_user_context",
        {"scaffold_updates": {"Role": "x"}, "persistent_info_additions": ["x"]},
    ),
    (
        "tools/context_tool.update_connection_context",
        {"connection": ID, "learned_info": {"project": "x"}},
    ),
)

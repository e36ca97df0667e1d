"""`conversations.json` of a ChatGPT export: a tree of messages each, of which one branch was kept."""

from collections.abc import Iterator, Mapping

from consolidation.intake.exports.shape import dated, moment, objects, row, text

ROLES = frozenset({"user", "assistant"})
CONTENTS = frozenset({"text", "multimodal_text"})
Json = Mapping[str, object]


def recognises(document: object) -> bool:
    conversations = objects(document)
    return bool(conversations) and all("mapping" in each for each in conversations)


def rows(document: object) -> Iterator[dict[str, object]]:
    for conversation in objects(document):
        session = conversation.get("conversation_id") or conversation.get("id")
        messages = (_row(message, session) for message in _branch(conversation))
        spoken = (message for message in messages if message is not None)
        yield from dated(spoken, moment(conversation.get("create_time")))


def _branch(conversation: Json) -> list[Json]:
    """Return the messages of the branch that was shown last, the oldest first."""
    nodes = conversation.get("mapping")
    if not isinstance(nodes, Mapping):
        return []
    branch, seen = [], set()
    name = conversation.get("current_node") or _newest(nodes)
    while isinstance(name, str) and name not in seen and isinstance(nodes.get(name), Mapping):
        seen.add(name)
        node = nodes[name]
        if isinstance(node.get("message"), Mapping):
            branch.append(node["message"])
        name = node.get("parent")
    return branch[::-1]


def _newest(nodes: Json) -> str | None:
    """Return the last node without an answer: exports without `current_node` are in order."""
    leaves = [
        name
        for name, node in nodes.items()
        if isinstance(node, Mapping) and not node.get("children")
    ]
    return leaves[-1] if leaves else None


def _row(message: Json, session: object) -> dict[str, object] | None:
    """Return what was said; None for tools, instructions and what was hidden."""
    author, content, notes = (message.get(key) for key in ("author", "content", "metadata"))
    role = author.get("role") if isinstance(author, Mapping) else None
    is_hidden = isinstance(notes, Mapping) and notes.get("is_visually_hidden_from_conversation")
    if role not in ROLES or is_hidden or not isinstance(content, Mapping):
        return None
    parts = content.get("parts")
    if content.get("content_type") not in CONTENTS or not isinstance(parts, list):
        return None
    words = "\n".join(filter(None, map(text, parts)))
    return row(str(role), words, session, moment(message.get("create_time"))) if words else None

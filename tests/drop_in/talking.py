"""A model behind the drop-in, and what tests say to it."""

import time
from typing import Any

from consolidation.chat.asking import slots, upstream
from memory.models import Event


def forget() -> None:
    slots.cache_clear()
    upstream.cache_clear()


def ask(client, *messages: dict, user: str = "alice", model: str = "gpt-x", **more):
    return client.chat.completions.create(model=model, messages=list(messages), user=user, **more)


def by(role: str, content: str) -> dict:
    return {"role": role, "content": content}


def any_of(value: Any) -> Any:
    """Return a value without its type: the package's are narrower than what it takes."""
    return value


def log() -> list[tuple]:
    rows = Event.objects.order_by("session_id", "seq")
    return [(event.type, event.payload.get("content")) for event in rows]


def wait_for(holds) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)

"""Without a model: no answer of one, but what memory finds, and a label that says so."""

import time
from collections.abc import Iterator

import orjson

from accounts.ids import new_id
from accounts.models import Owner
from api.drop_in.asked import LABEL
from recall.answer import recall
from recall.blended import Asked

MODEL = "recollect-offline"
HITS = 5
QUERY_CHARACTERS = 1_000
FOUND = f"{LABEL}. What memory finds for your words:"
NOTHING = f"{LABEL}, and memory finds nothing for your words."


def offline_words(owner: Owner, query: str) -> str:
    """Return what is remembered, word for word, under a label."""
    asked = query[:QUERY_CHARACTERS].strip()
    hits = recall(owner=owner, asked=Asked(asked, HITS)).found.hits if asked else []
    if not hits:
        return NOTHING
    return "\n".join([FOUND, *(f"- {hit.text}" for hit in hits)])


def completion(words: str) -> dict[str, object]:
    message = {"role": "assistant", "content": words, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {**_head("chat.completion"), "choices": [choice], "usage": usage}


def chunks(words: str) -> Iterator[bytes]:
    """Return the same as a stream's lines."""
    head = _head("chat.completion.chunk")
    for delta, finish in (({"role": "assistant", "content": words}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        yield b"data: " + orjson.dumps({**head, "choices": [choice]}) + b"\n\n"
    yield b"data: [DONE]\n\n"


def _head(kind: str) -> dict[str, object]:
    return {
        "id": f"chatcmpl-{new_id().hex}",
        "object": kind,
        "created": int(time.time()),
        "model": MODEL,
    }

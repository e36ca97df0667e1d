"""The words of the rules, in the shape that clients of chat APIs read."""

import time
from collections.abc import Iterator

import orjson

from accounts.ids import new_id
from consolidation.chat.offline import MODEL


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

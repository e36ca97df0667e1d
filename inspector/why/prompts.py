"""A prompt's messages as a page shows them: the beginning of each, and the tools it calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.messages import text_of
from memory.tokenizer import count_message

SHOWN_CHARACTERS = 6_000


@dataclass(frozen=True, slots=True)
class PromptMessage:
    role: str
    text: str
    left_out: int
    tokens: int
    calls: Sequence[object]


def shown_messages(messages: Sequence[Mapping[str, object]]) -> list[PromptMessage]:
    return [_shown(message) for message in messages]


def _shown(message: Mapping[str, object]) -> PromptMessage:
    text = text_of(message)
    calls = message.get("tool_calls")
    return PromptMessage(
        role=str(message.get("role", "")),
        text=text[:SHOWN_CHARACTERS],
        left_out=max(0, len(text) - SHOWN_CHARACTERS),
        tokens=count_message(text),
        calls=calls if isinstance(calls, list) else [],
    )

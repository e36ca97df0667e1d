"""What was said, with what memory has to say as one more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import orjson

from consolidation.intake.calibration import Usage
from memory.messages import text_of
from memory.models import Session
from memory.tokenizer import count, count_message
from recall.errors import BudgetTooSmall
from recall.models import Receipt
from recall.prompt.assembly import assemble_context

Message = Mapping[str, object]
INSTRUCTIONS = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class Remembered:
    """One block of words, empty for none, and the receipt of what is in it.

    `window` is what was said, as far as it has room: for those who hold no history of their own.
    """

    text: str
    receipt: UUID | None
    degraded: str
    window: Sequence[Message] = ()


NOTHING_REMEMBERED = Remembered("", None, "")


def remember_for(session: Session) -> Remembered:
    """Return what the next prompt would hold beside the conversation itself."""
    try:
        prompt = assemble_context(session=session)
    except BudgetTooSmall as error:
        # The model upstream may have room for what the agent's settings have not.
        return Remembered("", None, error.code)
    blocks = [str(one["content"]) for one in prompt.messages if one["role"] == "system"]
    window = [one for one in prompt.messages if one["role"] != "system"]
    return Remembered("\n\n".join(blocks), prompt.receipt, prompt.degraded, window)


def with_memory(messages: Sequence[Message], text: str) -> list[Message]:
    """Put the block after the caller's own instructions, where there are any."""
    if not text:
        return list(messages)
    place = 0
    while place < len(messages) and messages[place].get("role") in INSTRUCTIONS:
        place += 1
    return [*messages[:place], {"role": "system", "content": text}, *messages[place:]]


def usage_of(receipt: UUID | None, sent: Mapping[str, object], prompt_tokens: int) -> Usage | None:
    """Return the count of the model that answered as one of the receipt's prompt.

    What was sent is another prompt, so its share over our own count of it is what is kept.
    """
    row = Receipt.objects.filter(pk=receipt).first() if receipt and prompt_tokens > 0 else None
    if row is None:
        return None
    messages, tools = sent["messages"], sent.get("tools")
    listed = messages if isinstance(messages, list) else []
    counted = sum(count_message(text_of(one)) for one in listed)
    counted += count(orjson.dumps(tools).decode()) if tools else 0
    return Usage(max(round(prompt_tokens / max(counted, 1) * row.tokens), 1), row.pk)

"""What was said, with what memory has to say as one more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import orjson

from consolidation.intake.calibration import ReportedUsage
from memory.messages import is_command, text_of
from memory.models import Session
from memory.tokenizer import count, count_message
from recall.errors import BudgetTooSmall
from recall.models import Receipt
from recall.prompt.account import PROMPT_SHARE, text_tokens, tool_tokens
from recall.prompt.assembly import assemble_context
from recall.prompt.left_out import EVENTS

Message = Mapping[str, object]
INSTRUCTIONS = frozenset({"system", "developer"})


# So begins what we answer ourselves to a command: it is nothing to remember, and nobody's words.
NOTE = "[recollect] "


@dataclass(frozen=True, slots=True)
class RecalledBlock:
    """What memory adds to a conversation, and the receipt of it.

    `standing` stays from turn to turn, `called_up` answers the latest words; both may be empty.
    `window` is what was said, as far as it has room: for those who hold no history of their own, and
    in place of a history of which something was folded or has no room (`is_shorter`).
    """

    standing: str
    called_up: str
    receipt: UUID | None
    degraded: str
    window: Sequence[Message] = ()
    is_shorter: bool = False


NOTHING_REMEMBERED = RecalledBlock("", "", None, "")


def remember_for(session: Session, *, beside: int = 0) -> RecalledBlock:
    """Return what the next prompt would hold beside the conversation itself.

    `beside` is how many tokens the caller's own instructions and tools take of the model's context.
    """
    room = int(session.owner.agent.context_tokens * PROMPT_SHARE) - beside
    try:
        prompt = assemble_context(session=session, max_tokens=max(room, 1) if beside else None)
    except BudgetTooSmall as error:
        # The model upstream may have room for what the agent's settings have not.
        return RecalledBlock("", "", None, error.code)
    window = [one for one in prompt.messages if one["role"] != "system"]
    lost = any(one["store"] == EVENTS for one in prompt.left_out)
    return RecalledBlock(
        prompt.standing,
        prompt.called_up,
        prompt.receipt,
        prompt.degraded,
        window,
        prompt.is_folded or lost,
    )


def with_memory(messages: Sequence[Message], remembered: RecalledBlock) -> list[Message]:
    """Return the conversation with memory in it, and without what was said to us.

    What stays stands after the caller's own instructions, what was called up before the latest words.
    Of a conversation that memory holds shorter, its window takes the place of all but instructions.
    """
    said = list(messages)
    if remembered.is_shorter and remembered.window:
        own = [one for one in messages if one.get("role") in INSTRUCTIONS]
        said = [*own, *remembered.window]
    said = [one for one in said if not _is_ours(one)]
    place = next(
        (n for n, one in enumerate(said) if one.get("role") not in INSTRUCTIONS), len(said)
    )
    users = [n for n, one in enumerate(said) if one.get("role") == "user"]
    latest = max(users[-1], place) if users else place
    return [
        *said[:place],
        *_system(remembered.standing),
        *said[place:latest],
        *_system(remembered.called_up),
        *said[latest:],
    ]


def tokens_beside(messages: Sequence[Message], tools: object) -> int:
    """Return the estimated tokens of a caller's own instructions and tools."""
    own = [text_of(one) for one in messages if one.get("role") in INSTRUCTIONS]
    return text_tokens(own) + (tool_tokens(tools) if isinstance(tools, list) else 0)


def _system(text: str) -> list[Message]:
    return [{"role": "system", "content": text}] if text else []


def _is_ours(message: Message) -> bool:
    """Return whether a message is a command to us, or our answer to one."""
    if message.get("role") == "assistant":
        return text_of(message).startswith(NOTE)
    return message.get("role") == "user" and is_command("UserMsg", message)


def usage_of(
    receipt: UUID | None, sent: Mapping[str, object], prompt_tokens: int
) -> ReportedUsage | None:
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
    return ReportedUsage(max(round(prompt_tokens / max(counted, 1) * row.tokens), 1), row.pk)

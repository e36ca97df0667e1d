"""The prompt of an incognito session: what it says itself, and nothing that is remembered.

No store is read, no model is asked, and no receipt is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.identity import fixed_texts
from accounts.models import Agent
from memory.messages import call_ids, message_of
from memory.rooms import RoomEvent
from memory.tokenizer import count_message
from memory.windows import JOB, TOOL, ViewEvent, grouped
from recall.errors import BudgetTooSmall
from recall.prompt.account import PROMPT_SHARE, tool_tokens
from recall.prompt.blocks.parts import joined_blocks, price
from recall.prompt.given import NOTHING_GIVEN, Given
from recall.prompt.left_out import Named, stretches
from recall.prompt.memory.message import NOTHING_REMEMBERED, standing_block, turn_block
from recall.prompt.window import Message, fit_groups

USER = "UserMsg"


@dataclass(frozen=True, slots=True)
class BarePrompt:
    """Messages ready for a chat API, schemas that go beside them, and what both cost.

    `left_out` names the stretches of the log that had no room.
    """

    messages: list[Message]
    tools: list[object]
    tokens: int
    left_out: list[Named]


def assemble_bare(
    *,
    agent: Agent,
    said: Sequence[RoomEvent],
    lane: str,
    max_tokens: int | None = None,
    given: Given = NOTHING_GIVEN,
    now: datetime | None = None,
) -> BarePrompt:
    """Build a prompt of the fixed texts, what the caller gave, the newest groups that fit, the job.

    `now` is the time that the prompt names, None the clock's. Raises BudgetTooSmall when the tools,
    the fixed texts, the job and the user's latest words do not fit.
    """
    budget = int(max_tokens or agent.context_tokens * PROMPT_SHARE)
    fixed = [Message(role="system", content=text) for text in fixed_texts(agent, lane)]
    jobs = [one for one in said if one.type == JOB][-1:]
    latest = [one for one in said if one.type == USER][-1:]
    cost = tool_tokens(agent.tools) + sum(count_message(str(one["content"])) for one in fixed)
    cost += _tokens(jobs)
    if cost + _tokens(latest) > budget:
        raise BudgetTooSmall(f"what is never left out needs more than {budget} tokens")
    left = budget - cost - _tokens(latest)
    standing = standing_block(NOTHING_REMEMBERED, given, agent=agent, room=left)
    turn = turn_block(
        NOTHING_REMEMBERED, now=now or timezone.now(), room=left - price(standing.text)
    )
    memory = joined_blocks([standing, turn])
    cost += price(standing.text) + price(turn.text)
    by_seq = {one.seq: one for one in said}
    rest = [one for one in said if one not in jobs]
    fitting = [by_seq[seq] for seq in fit_groups(_groups(rest), budget - cost)]
    shown = [*fitting, *jobs]
    numbers = {one.seq for one in shown}
    left_out = stretches([one.seq for one in said if one.seq not in numbers])
    messages = [message_of(one.type, one.payload, one.tool_call_id) for one in shown]
    blocks = [Message(role="system", content=memory.text)] if memory.text else []
    tokens = cost + _tokens(fitting)
    return BarePrompt([*fixed, *blocks, *messages], agent.tools, tokens, left_out)


def _groups(said: Sequence[RoomEvent]) -> list[list[ViewEvent]]:
    shown = [_shown(one) for one in said]
    return [group for group in grouped(shown) if group[0].type != TOOL]


def _shown(one: RoomEvent) -> ViewEvent:
    return ViewEvent(one.seq, one.type, one.tokens, call_ids(one.payload), one.tool_call_id)


def _tokens(said: Sequence[RoomEvent]) -> int:
    return sum(one.tokens for one in said)

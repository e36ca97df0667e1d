"""What each part of a prompt takes of its budget, and the most it may take.

Compaction and the prompt ask the same functions: what is folded and what is shown agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.budget import estimate
from memory.hashing import canonical
from memory.tokenizer import count_message

# Without a budget of the caller's a prompt leaves room for the reply.
PROMPT_SHARE = 0.9
# Shares of what tools, instructions, identity and the job leave. They are of what changes seldom, so
# that a prompt's beginning stays the same from turn to turn, and a provider's cache holds it.
SUMMARY_SHARE = 0.2
TURN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class PromptAccount:
    """The estimated tokens of each part of a prompt; `budget` is what they may take together.

    `standing` is the memory that changes seldom, `turn` what the question has called up. The window
    includes the job and the user's latest words.
    """

    budget: int
    tools: int = 0
    fixed: int = 0
    standing: int = 0
    summary: int = 0
    window: int = 0
    turn: int = 0

    @property
    def total(self) -> int:
        """The tokens of all parts."""
        return self.tools + self.fixed + self.standing + self.summary + self.window + self.turn


def prompt_budget(context_tokens: int, max_tokens: int | None, calibration: float) -> int:
    """Return the estimated tokens that a prompt may take: the caller's budget, or the context's share.

    `context_tokens` and `max_tokens` are real tokens; `calibration` is how many of them an estimated
    one stands for.
    """
    return int((max_tokens or context_tokens * PROMPT_SHARE) / calibration)


def limit_of(context_tokens: int, max_tokens: int | None) -> int:
    """Return the model's context as the caller of the last prompt has it, in real tokens."""
    return min(context_tokens, int(max_tokens / PROMPT_SHARE)) if max_tokens else context_tokens


def tool_tokens(tools: Sequence[object]) -> int:
    """Return what the schemas of tools take of the model's context, beside any message."""
    return estimate(canonical(tools).decode()) if tools else 0


def text_tokens(texts: Sequence[str]) -> int:
    """Return what texts take as messages of their own; an empty text is none."""
    return sum(count_message(text) for text in texts if text)


def summary_room(left: int) -> int:
    """Return how many of the tokens that the fixed parts leave a summary may take."""
    return max(int(left * SUMMARY_SHARE), 0)


def turn_room(left: int) -> int:
    """Return how many of the tokens that the fixed parts leave are always the question's."""
    return max(int(left * TURN_SHARE), 0)

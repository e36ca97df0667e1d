"""What the replies of a provider say they took, counted where the replies are read."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

# No reply takes more; a provider that says so is not believed.
MOST = 1_000_000_000


@dataclass(slots=True)
class TokenUsage:
    """Tokens of all replies so far, those that were of no use included."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


_usage: ContextVar[TokenUsage | None] = ContextVar("usage", default=None)


@contextmanager
def counting() -> Iterator[TokenUsage]:
    """Count what is noted inside."""
    usage = TokenUsage()
    token = _usage.set(usage)
    try:
        yield usage
    finally:
        _usage.reset(token)


def note(*, prompt_tokens: int, completion_tokens: int = 0) -> None:
    """Add what one reply says; nothing where nobody counts."""
    usage = _usage.get()
    if usage is not None:
        usage.prompt_tokens += _bounded(prompt_tokens)
        usage.completion_tokens += _bounded(completion_tokens)


def _bounded(tokens: int) -> int:
    return min(max(tokens, 0), MOST)

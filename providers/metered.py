"""A provider that asks before each call whether it may be paid for, and says after it what it took.

Whose money it is, and what a token costs, is known to the one who is asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from providers.base import Embedder, Vector
from providers.chat import Answer, ChatModel, Completion, Task
from providers.prompting import render
from providers.usage import TokenUsage, counting

# Of UTF-8, in any language: rather too many tokens than too few.
BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Use:
    """One call: expected before it, counted after it."""

    provider: str
    model: str
    purpose: str
    input_tokens: int = 0
    output_tokens: int = 0
    embedding_tokens: int = 0


# What is told how a call ended; None where it took nothing.
Settle = Callable[[Use | None], None]
# What is asked with an estimate. Raises OutOfCredit.
Reserve = Callable[[Use], Settle]


class MeteredEmbedder:
    """An embedder whose calls are paid for."""

    def __init__(self, model: Embedder, reserve: Reserve) -> None:
        self._embedder, self._reserve = model, reserve
        self.name, self.model, self.version = model.name, model.model, model.version
        self.dimension, self.batch_size = model.dimension, model.batch_size

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        """Embed what can be paid for. Raises OutOfCredit as well as what the embedder raises."""
        if not texts:
            return []
        expected = Use(self.name, self.model, "embed", embedding_tokens=estimate(texts))
        settle = self._reserve(expected)
        with counting() as usage:
            try:
                found = self._embedder.embed(texts, seconds=seconds)
            except BaseException:
                settle(self._counted(expected, usage) if usage.prompt_tokens else None)
                raise
        settle(self._counted(expected, usage) if usage.prompt_tokens else expected)
        return found

    def _counted(self, expected: Use, usage: TokenUsage) -> Use:
        return replace(expected, embedding_tokens=usage.prompt_tokens)


class MeteredChat:
    """A chat model whose calls are paid for."""

    def __init__(self, model: ChatModel, reserve: Reserve) -> None:
        self._chat, self._reserve = model, reserve
        self.name, self.model = model.name, model.model

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        """Answer what can be paid for. Raises OutOfCredit as well as what the model raises."""
        expected = Use(
            self.name,
            self.model,
            task.purpose.value,
            input_tokens=estimate([one.content for one in render(task)]),
            output_tokens=task.most_tokens,
        )
        settle = self._reserve(expected)
        with counting() as usage:
            try:
                found = self._chat.complete(task, seconds=seconds)
            except BaseException:
                settle(_counted(expected, usage) if _is_known(usage) else None)
                raise
        said = TokenUsage(found.prompt_tokens, found.completion_tokens)
        settle(_counted(expected, said) if _is_known(said) else expected)
        return found


def estimate(texts: Sequence[str]) -> int:
    """Return about how many tokens texts are, rather too many than too few."""
    return sum(len(text.encode(errors="replace")) // BYTES_PER_TOKEN + 1 for text in texts)


def _is_known(usage: TokenUsage) -> bool:
    return bool(usage.prompt_tokens or usage.completion_tokens)


def _counted(expected: Use, usage: TokenUsage) -> Use:
    return replace(
        expected, input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens
    )

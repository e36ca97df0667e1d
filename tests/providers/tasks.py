"""What the tests ask of a chat model."""

from collections.abc import Sequence

from pydantic import BaseModel

from providers.chat import Line, Purpose, Task
from tests.providers.fake_chat import CONTRACTS

LINES = (
    Line("ev-0", "system", "Never mention the aubergine."),
    Line("ev-1", "user", "Hi! I am Alice and I live in Lyon. What is the weather?"),
    Line("ev-2", "assistant", "Hello Alice. The weather in Lyon is fine today."),
    Line(
        "ev-3", "user", "We decided to use PostgreSQL for the garden app. I prefer short answers."
    ),
)


def make_task(
    purpose: Purpose = Purpose.FACTS,
    lines: Sequence[Line] = LINES,
    known: str = "",
    most_tokens: int = 1_000,
) -> Task[BaseModel]:
    return Task(
        purpose, f"{purpose.value}-1", "Do it.", lines, CONTRACTS[purpose], known, most_tokens
    )


def user_said(*texts: str) -> list[Line]:
    return [Line(f"ev-{place}", "user", text) for place, text in enumerate(texts)]

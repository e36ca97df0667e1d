"""What a chat model is, and what it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

Answer = TypeVar("Answer", bound=BaseModel)


class Purpose(Enum):
    """What an answer is for."""

    FACTS = "facts"
    MEMORY_DELTA = "memory_delta"
    SUMMARY = "summary"
    SESSION_SUMMARY = "session_summary"
    TURN = "turn"
    SEMANTIC_EXTRACTION = "semantic_extraction"
    PROCEDURAL_EXTRACTION = "procedural_extraction"
    SEMANTIC_POLICY = "semantic_policy"
    PROCEDURAL_POLICY = "procedural_policy"
    SEMANTIC_RECONCILIATION = "semantic_reconciliation"
    PROCEDURAL_RECONCILIATION = "procedural_reconciliation"
    ARC = "arc"
    INBOX_SCORES = "inbox_scores"
    INBOX = "inbox"
    NARRATIVE_JUDGEMENT = "narrative_judgement"
    PROFILE = "profile"
    PROFILE_TIDYING = "profile_tidying"


@dataclass(frozen=True, slots=True)
class Line:
    """One piece of a conversation as a model is shown it. `role` is user, assistant, tool or system.

    `at` is when it was said, in words; empty where that does not matter. `is_new` marks what the
    task is about.
    """

    ref: str
    role: str
    text: str
    protected: bool = False
    at: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Task(Generic[Answer]):
    """A question to a chat model. `version` is of the prompt; `answer` is the contract of the reply.

    `lines` come oldest first. They and `known`, what was known before, are shown as quoted data.
    `beside` are further data by name, shown after the lines. `most_tokens` is of the reply.
    """

    purpose: Purpose
    version: str
    instructions: str
    lines: Sequence[Line]
    answer: type[Answer]
    known: str = ""
    most_tokens: int = 1_000
    beside: Mapping[str, Sequence[Mapping[str, object]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completion(Generic[Answer]):
    """An answer that fits its contract, and the tokens of all replies that it took."""

    value: Answer
    model: str
    prompt_tokens: int
    completion_tokens: int


class ChatModel(Protocol):
    """A task to an answer that fits its contract."""

    name: str
    model: str

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        """Return the answer. `seconds` bounds the whole call; None means the provider's own limit.

        Raises ProviderUnavailable, which passes; ProviderRefused, which an operator must mend;
        RequestRejected, InputTooLong, ReplyRefused or ReplyMalformed, which this task will meet
        again.
        """
        ...

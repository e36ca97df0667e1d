"""A chat model that says which lines it was shown, and does what a test has put before its answers."""

from collections.abc import Callable, Mapping

from django.db import connection

from extraction.rules.model import OfflineChat
from providers.answers import MOST_FACTS
from providers.chat import Answer, Completion, Purpose, Task
from providers.errors import (
    ProviderRefused,
    ProviderUnavailable,
    ReplyMalformed,
    ReplyRefused,
)

Act = Callable[[], None]
UNKNOWN = "ev-" + "0" * 32


class Killed(BaseException):
    """The process is gone: nothing that catches errors may see it."""


def fault(error: BaseException) -> Act:
    def act() -> None:
        raise error

    return act


FAULTS: Mapping[str, Act] = {
    "down": fault(ProviderUnavailable("down")),
    "timeout": fault(ProviderUnavailable("timeout")),
    "busy": fault(ProviderUnavailable("429", retry_after=9.0, counts_as_attempt=False)),
    "key": fault(ProviderRefused("401")),
    "malformed": fault(ReplyMalformed("prose")),
    "refusal": fault(ReplyRefused("no")),
    "killed": fault(Killed()),
}


# What is asked about learning is answered by the rules.
SCRIPTED = (Purpose.FACTS, Purpose.MEMORY_DELTA, Purpose.SUMMARY, Purpose.SESSION_SUMMARY)


class ScriptedChat:
    """Finds a fact in every line, named by the line's reference, and refers to every line."""

    name = model = "scripted"
    rules = OfflineChat()

    def __init__(self) -> None:
        # Each is done, first to last, before one answer.
        self.script: list[Act] = []
        self.has_bad_delta = False
        self.count = 0
        # References of lines for which there was no room among the facts.
        self.without_a_fact: set[str] = set()
        self.asked_within_a_transaction = 0

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        self.asked_within_a_transaction += connection.in_atomic_block
        self.count += 1
        if self.script:
            self.script.pop(0)()
        if task.purpose not in SCRIPTED:
            return self.rules.complete(task)
        value = task.answer.model_validate(self._answer(task))
        return Completion(value, self.model, 0, 0)

    def _answer(self, task: Task[Answer]) -> dict[str, object]:
        refs = [line.ref for line in task.lines]
        if task.purpose is Purpose.FACTS:
            self.without_a_fact |= set(refs[MOST_FACTS:])
            return {"facts": [_fact(ref) for ref in refs[:MOST_FACTS]]}
        if task.purpose is Purpose.MEMORY_DELTA:
            bad, self.has_bad_delta = self.has_bad_delta, False
            named = [UNKNOWN] if bad else refs[:1]
            text = f"Change {self.count}."
            return {
                "memory_delta": {
                    "mode": "append",
                    "summary_update": text,
                    "add_references": named,
                }
            }
        return {"summary": f"Summary {self.count} of {len(refs)} lines."}


def _fact(ref: str) -> dict[str, str]:
    return {"key": ref, "value": f"It was said in {ref}.", "category": "fact", "source_event": ref}

"""A chat model made of rules: no key, no network, the same answer every time.

It quotes and sorts what was said; it draws no conclusions.
"""

from collections.abc import Callable, Mapping

from pydantic import ValidationError

from extraction.contracts.inbox_scores import inbox_scores
from extraction.contracts.narrative_judge import judge_by_rules
from extraction.rules.cues import facts
from extraction.rules.digest import digest
from extraction.rules.inbox import inbox_reading
from extraction.rules.learning import LEARNING
from extraction.rules.profile import PROFILE
from extraction.rules.sentences import Sentence, sentences, split
from extraction.rules.turn import turn
from providers.answers import SUMMARY_CHARACTERS
from providers.chat import Answer, Completion, Purpose, Task
from providers.errors import ReplyMalformed
from ranking.passages import size

SUMMARY_WORDS = 200
KNOWN_WORDS = 100
UPDATE_WORDS = 120
# A summary that has grown beyond this is written anew.
LONG_SUMMARY_WORDS = 400
NOTHING = "Nothing was said."


class OfflineChat:
    """Fills each contract modestly, in a time that grows with the text alone."""

    name = "offline"
    model = "rules"

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        try:
            value = task.answer.model_validate(RULES[task.purpose](task))
        except ValidationError as error:
            raise ReplyMalformed(f"no rule for this contract: {error.title}") from None
        return Completion(value, self.model, 0, 0)


def _facts(task: Task[Answer]) -> Mapping[str, object]:
    return {"facts": [fact.model_dump() for fact in facts(sentences(task.lines))]}


def _summary(task: Task[Answer]) -> Mapping[str, object]:
    known = _condensed(task.known, KNOWN_WORDS)
    said = digest(sentences(task.lines), int(SUMMARY_WORDS - size(known)))
    return {"summary": _joined(known, said.text) or NOTHING}


def _delta(task: Task[Answer]) -> Mapping[str, object]:
    said = digest(sentences(task.lines), UPDATE_WORDS)
    is_long = size(task.known) > LONG_SUMMARY_WORDS
    known = _condensed(task.known, SUMMARY_WORDS - UPDATE_WORDS) if is_long else ""
    added = [fact.model_dump(exclude={"category"}) for fact in facts(sentences(task.lines))]
    delta = {
        "mode": "overwrite" if is_long else "append",
        "summary_update": _joined(known, said.text),
        "add_references": list(said.refs),
        "add_fact": added,
    }
    return {"memory_delta": delta}


def _condensed(text: str, words: int) -> str:
    return digest((Sentence("", "", 1, part) for part in split(text)), words).text


def _joined(known: str, said: str) -> str:
    return "\n".join(part for part in (known, said) if part)[:SUMMARY_CHARACTERS]


RULES: dict[Purpose, Callable[[Task[Answer]], Mapping[str, object]]] = {
    Purpose.FACTS: _facts,
    Purpose.MEMORY_DELTA: _delta,
    Purpose.SUMMARY: _summary,
    Purpose.SESSION_SUMMARY: _summary,
    Purpose.NARRATIVE_JUDGEMENT: judge_by_rules,
    Purpose.INBOX_SCORES: inbox_scores,
    Purpose.TURN: turn,
    **LEARNING,
    **PROFILE,
    Purpose.INBOX: inbox_reading,
}

"""A chat model behind the local server: it reads what it is sent as a model would, and may misbehave."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from extraction.contracts.inbox import InboxReading
from extraction.contracts.inbox_scores import InboxScores
from extraction.contracts.learning import (
    ArcSummary,
    ProceduralExtraction,
    ProceduralPolicy,
    ProceduralReconciliation,
    SemanticExtraction,
    SemanticPolicy,
    SemanticReconciliation,
)
from extraction.contracts.narrative_judge import NarrativeMarks
from extraction.contracts.profile import ProfileTidying, ProfileUpdate
from extraction.contracts.turn import TurnReply
from extraction.rules.model import OfflineChat
from providers.answers import Delta, Facts, SessionSummary, Summary
from providers.chat import Line, Purpose, Task
from tests.providers.faults import Answer, status

CONTRACTS: dict[Purpose, type[BaseModel]] = {
    Purpose.FACTS: Facts,
    Purpose.MEMORY_DELTA: Delta,
    Purpose.SUMMARY: Summary,
    Purpose.SESSION_SUMMARY: SessionSummary,
    Purpose.TURN: TurnReply,
    Purpose.SEMANTIC_EXTRACTION: SemanticExtraction,
    Purpose.PROCEDURAL_EXTRACTION: ProceduralExtraction,
    Purpose.SEMANTIC_POLICY: SemanticPolicy,
    Purpose.PROCEDURAL_POLICY: ProceduralPolicy,
    Purpose.SEMANTIC_RECONCILIATION: SemanticReconciliation,
    Purpose.PROCEDURAL_RECONCILIATION: ProceduralReconciliation,
    Purpose.ARC: ArcSummary,
    Purpose.INBOX_SCORES: InboxScores,
    Purpose.INBOX: InboxReading,
    Purpose.NARRATIVE_JUDGEMENT: NarrativeMarks,
    Purpose.PROFILE: ProfileUpdate,
    Purpose.PROFILE_TIDYING: ProfileTidying,
}
TOKENS = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True, slots=True)
class AskedChat:
    """One request for a reply, as it came."""

    path: str
    body: dict[str, Any]
    authorization: str

    @property
    def texts(self) -> list[str]:
        return [message["content"] for message in self.body["messages"]]

    @property
    def format(self) -> str:
        return self.body["response_format"]["type"]

    def answer(self) -> Answer:
        return self.reply(self.content())

    def content(self) -> str:
        """Return a reply that fits, by the rules, from what stands in the envelope."""
        system, user = self.texts[:2]
        title = json.loads(system.rpartition("\n")[2])["title"]
        purpose = next(each for each, one in CONTRACTS.items() if one.__name__ == title)
        task = Task(purpose, "1", "", lines_in(user), CONTRACTS[purpose], known_in(user))
        return OfflineChat().complete(task).value.model_dump_json()

    def reply(
        self, content: str | None, finish: str = "stop", refusal: str | None = None
    ) -> Answer:
        message = {"role": "assistant", "content": content, "refusal": refusal}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        reply = {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 0,
            "model": self.body["model"],
            "choices": [choice],
            "usage": TOKENS,
        }
        return Answer(json.dumps(reply).encode())


def lines_in(user: str) -> list[Line]:
    """Read the lines of an envelope back."""
    found = re.search(r"<conversation-(\w+)>\n(.*?)</conversation-\1>(?:\n|\Z)", user, re.DOTALL)
    rows = found[2].split("\n")[:-1]
    return [
        Line(row["ref"], row["role"], row["text"], at=row.get("at", ""), is_new="new" in row)
        for row in map(json.loads, rows)
    ]


def known_in(user: str) -> str:
    """Read back what was known before; empty when nothing was shown."""
    found = re.search(r"<known-(\w+)>\n(.*?)\n</known-\1>", user, re.DOTALL)
    return str(json.loads(found[2])["text"]) if found else ""


def _said(change: Callable[[str], str]) -> Callable[[AskedChat], Answer]:
    return lambda asked: asked.reply(change(asked.content()))


def _no_schemas(asked: AskedChat) -> Answer:
    takes = asked.format == "json_object"
    return asked.answer() if takes else status(400, param="response_format")(asked)


CHAT_FAULTS: dict[str, Callable[[AskedChat], Answer]] = {
    "no-schemas": _no_schemas,
    "new-limit": status(400, code="unsupported_parameter", param="max_tokens"),
    "too-long": status(400, code="context_length_exceeded"),
    "too-long-in-words": status(400, said="This model's maximum context length is 8192 tokens."),
    "filtered-before": status(400, code="content_filter"),
    "fenced": _said(lambda text: f"```json\n{text}\n```"),
    "wrapped": _said(lambda text: f"Here you are:\n{text}\nAnything else?"),
    "thoughtful": _said(lambda text: f"<think>A {{brace}} here.</think>\n{text}"),
    "prose": _said(lambda text: "I have found nothing of note."),
    "half": _said(lambda text: text[: len(text) // 2]),
    "wrong-fields": _said(lambda text: '{"found": "my private words"}'),
    "extra-field": _said(lambda text: text[:-1] + ', "my private words": 1}'),
    "scaffold": lambda asked: asked.reply('{"updated": {"city": "Lyon"}}'),
    "list": _said(lambda text: f"[{text}]"),
    "nul": _said(lambda text: text.replace('"', '"\\u0000', 3)),
    "half-character": _said(lambda text: text.replace("e", "\ud800")),
    "deep": _said(lambda text: '{"a":' * 100_000),
    "empty": _said(lambda text: ""),
    "no-content": lambda asked: asked.reply(None),
    "no-choices": lambda asked: Answer(b'{"choices": []}'),
    "odd-content": lambda asked: Answer(b'{"choices": [{"message": {"content": 7}}]}'),
    "refusal": lambda asked: asked.reply(None, refusal="I cannot help with my private words."),
    "content-filter": lambda asked: asked.reply("", finish="content_filter"),
    "length": lambda asked: asked.reply(asked.content()[:20], finish="length"),
}

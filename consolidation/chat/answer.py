"""An answer as it comes: put together from pieces, and remembered however it ends."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from consolidation.chat.prompt import usage_of
from consolidation.intake.accept import accept_events
from memory.errors import SessionClosed
from memory.messages import Draft, Malformed, draft_of
from memory.models import Session
from memory.strict_json import InvalidJson, read_json

DATA = b"data:"
DONE = b"[DONE]"
MOST_TOKENS = 1_000_000_000
Json = Mapping[str, object]


@dataclass(slots=True)
class PartialAnswer:
    """What of an answer has come so far: its first choice, and what was counted."""

    words: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def take_whole(self, body: bytes) -> None:
        self._take(body, "message")

    def take_line(self, line: bytes) -> None:
        """Take one line of a stream; what is none of its data says nothing."""
        if line.startswith(DATA) and line[len(DATA) :].strip() != DONE:
            self._take(line[len(DATA) :].strip(), "delta")

    @property
    def message(self) -> dict[str, object]:
        calls = [
            {
                "id": one.get("id", ""),
                "type": "function",
                "function": {"name": one.get("name", ""), "arguments": one.get("arguments", "")},
            }
            for _, one in sorted(self.calls.items())
        ]
        content = "".join(self.words)
        found: dict[str, object] = {"role": "assistant"}
        if content or not calls:
            found["content"] = content
        return found | ({"tool_calls": calls} if calls else {})

    def _take(self, body: bytes, name: str) -> None:
        try:
            found = read_json(body)
        except InvalidJson:
            return
        if not isinstance(found, dict):
            return
        usage = found.get("usage")
        if isinstance(usage, dict):
            self.prompt_tokens = _count(usage.get("prompt_tokens"), self.prompt_tokens)
            self.completion_tokens = _count(usage.get("completion_tokens"), self.completion_tokens)
        for choice in _objects(found.get("choices")):
            piece = choice.get(name)
            if choice.get("index", 0) == 0 and isinstance(piece, dict):
                self._add(piece)

    def _add(self, piece: Json) -> None:
        content = piece.get("content")
        if isinstance(content, str):
            self.words.append(content)
        for number, call in enumerate(_objects(piece.get("tool_calls"))):
            index = call.get("index", number)
            place = self.calls.setdefault(index if isinstance(index, int) else number, {})
            function = call.get("function")
            for name, value in {**call, **(function if isinstance(function, dict) else {})}.items():
                if name in {"id", "name", "arguments"} and isinstance(value, str):
                    place[name] = place.get(name, "") + value


def keep(gathered: PartialAnswer, *, session: Session, sent: Json, receipt: UUID | None) -> None:
    """Append the answer, as far as it came, with what it was counted to cost.

    A session that ended meanwhile takes no more; then the client alone has the answer.
    """
    draft = draft_from(gathered)
    if draft is None:
        return
    usage = usage_of(receipt, sent, gathered.prompt_tokens)
    with contextlib.suppress(SessionClosed):
        accept_events(agent=session.owner.agent, session=session, drafts=[draft], usage=usage)


def draft_from(gathered: PartialAnswer) -> Draft | None:
    """Return the answer as an event; None where nothing was said."""
    if not any(gathered.words) and not gathered.calls:
        return None
    try:
        return draft_of(gathered.message)
    except Malformed:
        return None


def _count(value: object, before: int) -> int:
    """Return what an endpoint has counted; one that says what cannot be is not believed."""
    return value if isinstance(value, int) and 0 <= value <= MOST_TOKENS else before


def _objects(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

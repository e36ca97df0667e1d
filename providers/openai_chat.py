"""A chat model at any OpenAI-compatible endpoint, through the `openai` package."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from pydantic import BaseModel

from providers.breaker import Breaker
from providers.chat import Answer, Completion, Purpose, Task
from providers.endpoint import RETRIES, Ask, Endpoint
from providers.errors import InputTooLong, ReplyMalformed, ReplyRefused, RequestRejected
from providers.presets import PRESETS, Preset
from providers.prompting import Message, correction, render
from providers.replies import Misfit, is_closed, read_reply, schema_of
from providers.usage import note

# Of a reply that did not fit, this much is shown to the model again.
SHOWN_CHARACTERS = 4_000
OLD_LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an endpoint wants to be asked; what it rejects shows it."""

    takes_schemas: bool = True
    limit: str = OLD_LIMIT
    takes_temperature: bool = True

    def after(self, rejection: RequestRejected) -> "Dialect":
        """Return what to try next. Raises the rejection when other words would not help."""
        if isinstance(rejection, InputTooLong | ReplyRefused):
            raise rejection
        if rejection.parameter == OLD_LIMIT and self.limit == OLD_LIMIT:
            return replace(self, limit=NEW_LIMIT)
        if rejection.parameter == "temperature" and self.takes_temperature:
            return replace(self, takes_temperature=False)
        if not self.takes_schemas:
            raise rejection
        return replace(self, takes_schemas=False)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What matters of one reply."""

    text: str
    is_cut: bool
    is_refused: bool
    prompt_tokens: int
    completion_tokens: int


class ReplyCut(Exception):
    """The reply has reached its limit of tokens."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked now: of one task at most a longer reply, and a corrected one."""

    messages: Sequence[Message]
    purpose: Purpose
    answer: type[BaseModel]
    most_tokens: int
    is_longer: bool = False
    is_corrected: bool = False

    def body(self, dialect: Dialect) -> dict[str, object]:
        # The same question gets the same answer, as far as the endpoint lets it.
        cold = {"temperature": 0} if dialect.takes_temperature else {}
        return {dialect.limit: self.most_tokens, "response_format": self._format(dialect), **cold}

    def longer(self) -> "ChatRequest":
        if self.is_longer:
            raise ReplyMalformed(f"cut after {self.most_tokens} tokens")
        return replace(self, most_tokens=self.most_tokens * 2, is_longer=True)

    def corrected(self, said: ParsedReply, misfit: Misfit) -> "ChatRequest":
        if self.is_corrected:
            raise ReplyMalformed(str(misfit))
        more = correction(said.text[:SHOWN_CHARACTERS], misfit.complaint)
        return replace(self, messages=[*self.messages, *more], is_corrected=True)

    def _format(self, dialect: Dialect) -> dict[str, object]:
        if not dialect.takes_schemas:
            return {"type": "json_object"}
        schema = schema_of(self.answer)
        named = {"name": self.purpose.value, "strict": is_closed(schema), "schema": schema}
        return {"type": "json_schema", "json_schema": named}


class OpenAIChat:
    """Answers that fit their contracts. A reply that does not fit is asked for once more."""

    name = "openai"

    def __init__(
        self,
        *,
        api_key: str,
        model: str = "gpt-4.1-mini",
        base_url: str | None = None,
        seconds: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
        breaker: Breaker | None = None,
        preset: Preset = PRESETS[""],
    ) -> None:
        self.model, self._first = model, Dialect(preset.takes_schemas, preset.limit)
        self._endpoint = Endpoint(
            api_key=api_key, base_url=base_url, seconds=seconds, sleep=sleep, breaker=breaker
        )
        self.breaker = self._endpoint.breaker
        # By contract: an endpoint may take one schema and reject another.
        self._dialects: dict[type[BaseModel], Dialect] = {}

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        """Ask until the answer fits. Without `seconds` all requests together get four times one's limit."""
        whole = self._endpoint.seconds * (RETRIES + 1) if seconds is None else seconds
        ends = time.monotonic() + whole
        question = ChatRequest(render(task), task.purpose, task.answer, task.most_tokens)
        replies: list[ParsedReply] = []
        while True:
            replies.append(self._ask(question, ends))
            try:
                value = _read(replies[-1], task.answer)
            except ReplyCut:
                question = question.longer()
            except Misfit as misfit:
                question = question.corrected(replies[-1], misfit)
            else:
                return _completion(value, self.model, replies)

    def _ask(self, question: ChatRequest, ends: float) -> ParsedReply:
        """Ask in the words this endpoint takes, and remember them."""
        dialect = self._dialects.get(question.answer, self._first)
        while True:
            try:
                said = self._endpoint.patiently(self._request(question, dialect), ends=ends)
            except RequestRejected as error:
                dialect = dialect.after(error)
            else:
                self._dialects[question.answer] = dialect
                return said

    def _request(self, question: ChatRequest, dialect: Dialect) -> Ask[ParsedReply]:
        messages = [{"role": one.role, "content": one.content} for one in question.messages]

        def ask(client: openai.OpenAI, seconds: float) -> ParsedReply:
            said = _said(
                client.chat.completions.create(
                    model=self.model,
                    messages=cast("list[ChatCompletionMessageParam]", messages),
                    extra_body=question.body(dialect),
                    timeout=seconds,
                )
            )
            note(prompt_tokens=said.prompt_tokens, completion_tokens=said.completion_tokens)
            return said

        return ask


def _said(reply: ChatCompletion) -> ParsedReply:
    """Read a reply of which nothing is certain. Raises TypeError if it is none."""
    if not reply.choices:
        raise TypeError("no choices")
    choice, usage = reply.choices[0], reply.usage
    text = choice.message.content or ""
    if not isinstance(text, str):
        raise TypeError("the content is no text")
    return ParsedReply(
        text=text,
        is_cut=choice.finish_reason == "length",
        is_refused=choice.finish_reason == "content_filter" or bool(choice.message.refusal),
        prompt_tokens=int(usage.prompt_tokens or 0) if usage else 0,
        completion_tokens=int(usage.completion_tokens or 0) if usage else 0,
    )


def _read(said: ParsedReply, contract: type[Answer]) -> Answer:
    """Raise ReplyRefused, ReplyCut or Misfit unless the answer is there."""
    if said.is_refused:
        raise ReplyRefused("refused by the model or its filter")
    if said.is_cut:
        raise ReplyCut
    return read_reply(said.text, contract)


def _completion(value: Answer, model: str, replies: Sequence[ParsedReply]) -> Completion[Answer]:
    prompt = sum(said.prompt_tokens for said in replies)
    return Completion(value, model, prompt, sum(said.completion_tokens for said in replies))

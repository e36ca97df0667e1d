"""What a chat client sends, as far as memory looks at it; the rest goes on unread."""

from collections.abc import Mapping
from dataclasses import dataclass

from rest_framework import serializers
from rest_framework.request import Request

from accounts.idempotency import fingerprint
from accounts.models import Agent
from api.v1.events import CONTENT_BYTES
from api.v1.fields import Body, Text
from consolidation.chat.offline import LABEL
from consolidation.chat.prompt import INSTRUCTIONS, NOTE
from memory.messages import TYPE_OF_ROLE, Draft, Malformed, draft_of, is_command, text_of


class ChatMessage(serializers.DictField):
    """A chat message; what has a place in the log must fit there."""

    def to_internal_value(self, data: dict[str, object]) -> dict[str, object]:
        message: dict[str, object] = super().to_internal_value(data)
        if message.get("role") in INSTRUCTIONS:
            return message
        try:
            draft = draft_of(message)
        except Malformed as error:
            raise serializers.ValidationError(str(error)) from error
        if len(text_of(draft.payload).encode()) > CONTENT_BYTES:
            raise serializers.ValidationError(f"a message is at most {CONTENT_BYTES} bytes")
        return message


class ChatIn(serializers.Serializer):
    messages = serializers.ListField(child=ChatMessage(), allow_empty=False)
    model = Text(max_length=200, required=False, allow_null=True)
    user = Text(max_length=255, required=False, allow_null=True)
    stream = serializers.BooleanField(required=False, allow_null=True)


class HeadersIn(Body):
    user = Text(max_length=255, required=False)
    session = Text(max_length=200, required=False)


@dataclass(frozen=True, slots=True)
class Chat:
    """One request. `user` None is nobody; `conversation` names what it belongs to."""

    body: Mapping[str, object]
    messages: list[dict[str, object]]
    user: str | None
    conversation: str
    is_streamed: bool

    @property
    def is_command(self) -> bool:
        """Return whether the latest words ask us to compact."""
        latest = self.messages[-1]
        return latest.get("role") == "user" and is_command("UserMsg", latest)

    @property
    def drafts(self) -> list[Draft]:
        """What was said: no instructions, which come with every request, and no words of our own."""
        said = (one for one in self.messages if one.get("role") not in INSTRUCTIONS)
        drafts = [draft_of(message) for message in said]
        return [one for one in drafts if not _is_ours(one)]


def chat_of(agent: Agent, request: Request) -> Chat:
    """Read a request. Raises ValidationError.

    The conversation is the one that `X-Recollect-Session` names, or else the one that began with
    the same words of the same user.
    """
    body = ChatIn(data=request.data)
    body.is_valid(raise_exception=True)
    named = {"user": "X-Recollect-User", "session": "X-Recollect-Session"}
    headers = HeadersIn(
        data={name: request.headers[one] for name, one in named.items() if one in request.headers}
    )
    headers.is_valid(raise_exception=True)
    asked, above = body.validated_data, headers.validated_data
    user = above.get("user") or asked.get("user") or None
    conversation = above.get("session") or _beginning(agent, user, asked["messages"])
    return Chat(
        body=request.data,
        messages=asked["messages"],
        user=user,
        conversation=f"drop-in:{conversation}",
        is_streamed=bool(asked.get("stream")),
    )


def _is_ours(draft: Draft) -> bool:
    text = text_of(draft.payload)
    return draft.type == TYPE_OF_ROLE["assistant"] and text.startswith((LABEL, NOTE))


def _beginning(agent: Agent, user: str | None, messages: list[dict[str, object]]) -> str:
    first = next((one for one in messages if one.get("role") == "user"), messages[0])
    return fingerprint(
        str(agent.pk).encode(), (user or "").encode(), text_of(first).encode()
    ).hex()[:32]

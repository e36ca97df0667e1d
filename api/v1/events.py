"""What a client may send as events, and how it is turned into drafts."""

from collections.abc import Mapping

from rest_framework import serializers

from api.v1.fields import Body, Moment, Number, Text
from consolidation.intake.calibration import ReportedUsage
from memory.messages import TYPE_OF_ROLE, Draft, Malformed, check, draft_of, text_of
from memory.models import Event
from memory.models.event import EventType
from memory.models.window import Lane

MOST_EVENTS = 100
CONTENT_BYTES = 262_144


class MessageIn(serializers.Serializer):
    """One chat message, as OpenAI's API has it, with an optional time."""

    role = serializers.ChoiceField(choices=list(TYPE_OF_ROLE))
    content = serializers.JSONField(required=False, allow_null=True)
    name = Text(max_length=100, required=False)
    tool_calls = serializers.ListField(required=False, allow_null=True, max_length=100)
    tool_call_id = Text(max_length=255, required=False)
    occurred_at = Moment(required=False)
    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)

    def validate(self, attrs: Mapping[str, object]) -> Draft:
        try:
            return _bounded(draft_of(attrs))
        except Malformed as error:
            raise serializers.ValidationError(str(error)) from error


class EventIn(Body):
    """One event in the log's own words."""

    type = serializers.ChoiceField(choices=EventType.choices)
    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)
    payload = serializers.DictField()
    tool_call_id = Text(max_length=255, default="", allow_blank=True)
    skill_phase = Text(max_length=100, default="", allow_blank=True)
    occurred_at = Moment(default=None)

    def validate(self, attrs: Mapping[str, object]) -> Draft:
        draft = Draft(**attrs)  # type: ignore[arg-type]  # the fields are the draft's
        try:
            check(draft)
            return _bounded(draft)
        except Malformed as error:
            raise serializers.ValidationError(str(error)) from error


class UsageIn(Body):
    """What the model counted for its prompt; without `receipt`, the session's latest one."""

    prompt_tokens = Number(min_value=1, max_value=10_000_000)
    receipt = serializers.UUIDField(required=False, allow_null=True, default=None)

    def validate(self, attrs: Mapping[str, object]) -> ReportedUsage:
        return ReportedUsage(**attrs)  # type: ignore[arg-type]  # the fields are the usage's


class AppendIn(Body):
    """Either `events` or `messages`: 1 to 100, stored whole or not at all."""

    events = serializers.ListField(
        child=EventIn(), required=False, allow_empty=False, max_length=MOST_EVENTS
    )
    messages = serializers.ListField(
        child=MessageIn(), required=False, allow_empty=False, max_length=MOST_EVENTS
    )
    usage = UsageIn(required=False)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        usage = attrs.pop("usage", None)
        if len(attrs) != 1:
            raise serializers.ValidationError("send either `events` or `messages`")
        (drafts,) = attrs.values()
        return {"drafts": drafts, "usage": usage}


def receipt_of(event: Event) -> dict[str, object]:
    """Return what an append answers for an event."""
    return {
        "id": event.pk,
        "lane": event.lane,
        "seq": event.seq,
        "hash": event.reference,
        "tokens": event.tokens,
    }


def shown(event: Event) -> dict[str, object]:
    """Return an event as the log shows it; the payload is null once erased."""
    return receipt_of(event) | {
        "type": event.type,
        "payload": event.payload,
        "tool_call_id": event.tool_call_id,
        "skill_phase": event.skill_phase,
        "occurred_at": event.occurred_at,
        "committed_at": event.committed_at,
    }


def _bounded(draft: Draft) -> Draft:
    if len(text_of(draft.payload).encode()) > CONTENT_BYTES:
        raise Malformed(f"the content of an event is at most {CONTENT_BYTES} bytes")
    return draft

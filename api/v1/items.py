"""Facts, arcs and rules as answers show them, and as a person may change them."""

from collections.abc import Mapping

from rest_framework import serializers

from api.v1.fields import Body, Flag, Text
from knowledge.models import Arc, ChangeItem, Fact
from knowledge.models.learned import Category, Confidence, EntityType, Learned, Predicate

Kind = ChangeItem.Kind
# What the pages and the API call the layers of a memory.
LAYERS: Mapping[str, str] = {"facts": Kind.FACT, "sessions": Kind.ARC, "rules": Kind.RULE}
SHORT, LONG, QUOTE = 80, 600, 280
NAME = 200
COMMON = (
    "version",
    "is_active",
    "is_pinned",
    "is_quarantined",
    "source_class",
    "source_session",
    "source_events",
    "write_timing",
    "write_reason",
    "policy_version",
    "superseded_by",
    "dormant_at",
    "created_at",
    "last_referenced_at",
)
OWN: Mapping[str, tuple[str, ...]] = {
    Kind.FACT: (
        "category",
        "subject_type",
        "subject",
        "predicate",
        "object_type",
        "object",
        "evidence_quote",
        "confidence",
        "source_turn",
        "statement",
        "said_at",
        "happened",
        "holds_until",
        "durability",
        "basis",
        "sensitivity",
        "about",
    ),
    Kind.ARC: (
        "session",
        "started_at",
        "ended_at",
        "turn_count",
        "themes",
        "summary",
        "mood_opened",
        "mood_closed",
        "open_loops",
        "resolved_threads",
        "approach_used",
    ),
    Kind.RULE: ("text", "evidence", "confidence", "source"),
}


class Edit(Body):
    """What a person changes of an item."""

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if not attrs:
            raise serializers.ValidationError("name a field that can be changed")
        return attrs


class FactEdit(Edit):
    """The fields to change; the quote stays what the user said."""

    category = serializers.ChoiceField(choices=Category.choices, required=False)
    subject_type = serializers.ChoiceField(choices=EntityType.choices, required=False)
    subject = Text(max_length=NAME, required=False)
    predicate = serializers.ChoiceField(choices=Predicate.choices, required=False)
    object_type = serializers.ChoiceField(choices=EntityType.choices, required=False)
    object = Text(max_length=NAME, required=False)
    confidence = serializers.ChoiceField(choices=Confidence.choices, required=False)
    is_pinned = Flag(required=False)


class ArcEdit(Edit):
    """The fields to change."""

    summary = Text(max_length=LONG, required=False)
    themes = serializers.ListField(child=Text(max_length=SHORT), max_length=3, required=False)
    open_loops = serializers.ListField(child=Text(max_length=SHORT), max_length=20, required=False)
    resolved_threads = serializers.ListField(
        child=Text(max_length=SHORT), max_length=20, required=False
    )
    is_pinned = Flag(required=False)


class RuleEdit(Edit):
    """The fields to change."""

    text = Text(max_length=QUOTE, required=False)
    is_pinned = Flag(required=False)


EDITS: Mapping[str, type[Edit]] = {
    Kind.FACT: FactEdit,
    Kind.ARC: ArcEdit,
    Kind.RULE: RuleEdit,
}


def kind_of(item: Learned) -> str:
    if isinstance(item, Fact):
        return Kind.FACT
    return Kind.ARC if isinstance(item, Arc) else Kind.RULE


def shown(item: Learned) -> dict[str, object]:
    """Return an item with all that a person may see of it, and why it was written."""
    names = (*OWN[kind_of(item)], *COMMON)
    return {"id": item.pk, **{name: getattr(item, name) for name in names}}


def said(kind: str, value: Mapping[str, object]) -> dict[str, object]:
    """Return what an item says, for someone to decide about it."""
    return {name: value[name] for name in OWN[kind]}

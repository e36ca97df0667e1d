"""What the five verbs answer."""

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from recall.memories.memory import MemoryKind, MemoryState


@extend_schema_serializer(component_name="MemorySource")
class SourceAnswer(serializers.Serializer):
    """Where a memory is from: its session, the events it was said in, and their words."""

    session = serializers.UUIDField(allow_null=True)
    events = serializers.ListField(child=serializers.CharField())
    quote = serializers.CharField()


@extend_schema_serializer(component_name="Memory")
class MemoryAnswer(serializers.Serializer):
    """One thing that is remembered, in the one shape that all kinds have."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in MemoryKind])
    text = serializers.CharField()
    about = serializers.CharField(help_text="What it is about; empty for nothing in particular.")
    score = serializers.FloatField(allow_null=True, help_text="Null outside a search.")
    said_at = serializers.DateTimeField()
    happened_at = serializers.DateTimeField(allow_null=True)
    holds_until = serializers.DateTimeField(allow_null=True)
    state = serializers.ChoiceField(choices=[state.value for state in MemoryState])
    is_pinned = serializers.BooleanField()
    version = serializers.IntegerField(help_text="0 for what has no versions.")
    source = SourceAnswer()  # type: ignore[assignment]  # a field, taken off the class
    signals = serializers.DictField(
        allow_null=True, help_text="What a passage's score is made of; null elsewhere."
    )


@extend_schema_serializer(component_name="AddedMemories")
class AddedAnswer(serializers.Serializer):
    """What was kept. Of messages, `memories` is empty until they have been learned from."""

    memories = MemoryAnswer(many=True)
    session = serializers.UUIDField(allow_null=True)
    events = serializers.ListField(child=serializers.UUIDField())
    learned = serializers.BooleanField(help_text="False while a job still learns from it.")
    changeset = serializers.UUIDField(
        allow_null=True, help_text="`POST /changesets/{id}/revert` takes it back."
    )


@extend_schema_serializer(component_name="MemorySearchResults")
class MemorySearchAnswer(serializers.Serializer):
    """Memories, best first. `degraded` is the code of what was missing, null when nothing was."""

    results = MemoryAnswer(many=True)
    searched_by = serializers.CharField()
    degraded = serializers.CharField(allow_null=True)


@extend_schema_serializer(component_name="MemoryPage")
class MemoryListAnswer(serializers.Serializer):
    """A page, and the cursor of the next one; null on the last."""

    results = MemoryAnswer(many=True)
    next = serializers.CharField(allow_null=True)


@extend_schema_serializer(component_name="ForgottenMemories")
class ForgottenAnswer(serializers.Serializer):
    """What a query would forget, or the ids that were forgotten and those that were not there."""

    would_forget = MemoryAnswer(many=True)
    forgotten = serializers.ListField(child=serializers.UUIDField())
    missing = serializers.ListField(child=serializers.UUIDField())

"""What a caller gives with a turn: which connections are active, directives, and its artifacts."""

from collections.abc import Mapping
from typing import cast
from uuid import UUID

from rest_framework import serializers

from api.v1.fields import Body, Text
from recall.prompt.given import Artifact, Given
from recall.prompt.sources.governance import Directives

MOST_CONNECTIONS = 100
MOST_ARTIFACTS = 200
FIELDS = ("active_connections", "directives", "artifacts")


class DirectivesIn(Body):
    """How careful, in which tone and within which frame; each may be left out."""

    caution = Text(max_length=100, required=False, allow_blank=True)
    tone = Text(max_length=500, required=False, allow_blank=True)
    framing = Text(max_length=2_000, required=False, allow_blank=True)


class ArtifactIn(Body):
    name = Text(max_length=200)
    description = Text(max_length=500, required=False, allow_blank=True)
    kind = Text(max_length=100, required=False, allow_blank=True)


class GivenIn(Body):
    """`active_connections` None means those that the user keeps active."""

    active_connections = serializers.ListField(
        child=serializers.UUIDField(),
        max_length=MOST_CONNECTIONS,
        required=False,
        allow_null=True,
        default=None,
    )
    directives = DirectivesIn(required=False, allow_null=True, default=None)
    artifacts = serializers.ListField(
        child=ArtifactIn(), max_length=MOST_ARTIFACTS, required=False, default=list
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        """Put the three together as one value under `given`."""
        rest = {name: value for name, value in attrs.items() if name not in FIELDS}
        return rest | {"given": _given(attrs)}


def _given(attrs: Mapping[str, object]) -> Given:
    directives = cast("Mapping[str, str] | None", attrs["directives"])
    artifacts = cast("list[Mapping[str, str]]", attrs["artifacts"])
    return Given(
        cast("list[UUID] | None", attrs["active_connections"]),
        Directives(**directives or {}),
        [Artifact(**artifact) for artifact in artifacts],
    )

"""Forget what a question finds: first a preview, then what of it is confirmed."""

from collections.abc import Sequence

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from api.authentication import caller_of
from api.v1.fields import Body, Flag, Number, Text
from api.v1.items import LAYERS, said
from api.v1.whose import WhoseIn, owner_named
from consolidation.deletion.trace import Target
from consolidation.edits.memory import forget_items
from recall.answers.forget_preview import Forgettable, find_forgettable

MOST_FORGOTTEN = 100
LARGEST_VERSION = 2_147_483_647
LAYER_OF = {kind: layer for layer, kind in LAYERS.items()}


class TargetIn(Body):
    """An item of a preview, in the version that was shown."""

    layer = serializers.ChoiceField(choices=list(LAYERS))
    id = serializers.UUIDField()
    version = Number(min_value=1, max_value=LARGEST_VERSION)

    def to_internal_value(self, data: object) -> Target:
        value = super().to_internal_value(data)
        return Target(LAYERS[value["layer"]], value["id"], value["version"])


class ForgetMemoryIn(WhoseIn):
    """First a `query`, which shows what it finds; then `confirm` with what of it is to go."""

    query = Text(max_length=1_000, required=False)
    dry_run = Flag(default=True)
    confirm = serializers.ListField(
        child=TargetIn(), allow_empty=False, max_length=MOST_FORGOTTEN, required=False
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if ("query" in attrs) == ("confirm" in attrs):
            raise serializers.ValidationError("send a `query`, or `confirm` what one has shown")
        if "query" in attrs and not attrs["dry_run"]:
            raise serializers.ValidationError("a query alone deletes nothing: `confirm` its items")
        return attrs


class MemoryForget(APIView):
    @extend_schema(request=ForgetMemoryIn)
    def post(self, request: Request) -> Response:
        """Show what a query finds, and delete nothing; or delete for good what is confirmed."""
        body = ForgetMemoryIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked, caller = body.validated_data, caller_of(request)
        owner = owner_named(caller.agent, asked)
        if "confirm" in asked:
            return Response(_forgotten(owner, asked["confirm"], caller.name))
        found = find_forgettable(owner=owner, query=asked["query"]) if owner else []
        return Response({"would_forget": [_shown(item) for item in found]})


def _forgotten(owner: Owner | None, wanted: Sequence[Target], actor: str) -> dict[str, object]:
    gone = forget_items(owner=owner, items=wanted, actor=actor).items if owner else ()
    missing = [item for item in wanted if item not in gone]
    return {
        "forgotten": [_named(item) for item in gone],
        "missing": [_named(item) for item in missing],
    }


def _named(item: Target) -> dict[str, object]:
    return {"layer": LAYER_OF[item.kind], "id": item.id}


def _shown(item: Forgettable) -> dict[str, object]:
    value = item.value
    head = {"layer": LAYER_OF[item.kind], "id": item.id, "version": value["version"]}
    return {**head, **said(item.kind, value), "score": round(item.score, 4)}

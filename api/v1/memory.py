"""A person's memory: how much there is, what it holds, changing and deleting it."""

from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Owner
from accounts.owners import resolve_owner, scope_of
from api.authentication import caller_of
from api.pagination import page
from api.v1.fields import Flag, IdPage
from api.v1.items import EDITS, LAYERS, shown
from api.v1.whose import WHOSE, WhoseIn, owner_in_query, owner_named
from api.versions import IF_MATCH, version_demanded, version_of
from consolidation.deletion.trace import Target
from consolidation.edits.memory import change_item, forget_one, set_recall, set_sharing
from crisis.log import count_crises
from feedback.record import count_feedback
from knowledge.errors import ItemUnknown
from knowledge.items.rows import LEARNED
from knowledge.models.learned import Learned, LearnedQuerySet
from knowledge.overview import Overview, overview

MODE = "local"


class SwitchIn(WhoseIn):
    enabled = Flag()


class ItemPage(IdPage):
    state = serializers.ChoiceField(choices=["active", "all"], default="active")
    user = serializers.CharField(max_length=255, required=False)
    session = serializers.UUIDField(required=False)


class MemoryStatus(APIView):
    @extend_schema(parameters=WHOSE)
    def get(self, request: Request) -> Response:
        """Show how much is known of a person, and whether it may be raised unasked."""
        owner = owner_in_query(request)
        counts = overview(owner) if owner else Overview()
        return Response(
            {
                "mode": MODE,
                "owner": {"kind": owner.kind, "key": owner.key} if owner else None,
                "counts": {
                    "semantic": counts.semantic,
                    "episodic": counts.episodic,
                    "procedural": counts.procedural,
                },
                "proactive_recall": counts.proactive_recall,
                "shared": owner is None or owner.is_shared,
                "crisis_log_count": count_crises(owner=owner) if owner else 0,
                "session_feedback_count": count_feedback(owner=owner) if owner else 0,
            }
        )


class MemoryRecall(APIView):
    @extend_schema(request=SwitchIn)
    def patch(self, request: Request) -> Response:
        """Let the assistant bring up past sessions by itself, or not; rules apply either way."""
        owner, enabled = _switched(request)
        set_recall(owner=owner, enabled=enabled, actor=caller_of(request).name)
        return Response({"proactive_recall": enabled})


class MemorySharing(APIView):
    @extend_schema(request=SwitchIn)
    def patch(self, request: Request) -> Response:
        """Let other agents read what this one remembers of the person, or not."""
        owner, enabled = _switched(request)
        set_sharing(owner=owner, enabled=enabled, actor=caller_of(request).name)
        return Response({"shared": enabled})


class MemoryItems(APIView):
    @extend_schema(
        parameters=[ItemPage],
    )
    def get(self, request: Request, layer: str) -> Response:
        """List a person's facts, sessions or rules, newest first; `state=all` with superseded ones."""
        query = ItemPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        rows = _rows(owner_named(caller_of(request).agent, asked), layer).order_by("-pk")
        if asked["state"] == "active":
            rows = rows.active()
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        results = [shown(item) for item in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class MemoryItem(APIView):
    @extend_schema(parameters=WHOSE)
    def get(self, request: Request, layer: str, item: UUID) -> Response:
        """Show a fact, a session or a rule, and why it was written."""
        return _answer(owner_in_query(request), layer, item)

    @extend_schema(
        request=OpenApiTypes.OBJECT,
        parameters=[*WHOSE, IF_MATCH],
    )
    def patch(self, request: Request, layer: str, item: UUID) -> Response:
        """Change fields of an item, in the version that was seen."""
        body = EDITS[LAYERS[layer]](data=request.data)
        body.is_valid(raise_exception=True)
        owner, version = _known(request, layer), version_demanded(request)
        change_item(
            owner=owner,
            kind=LAYERS[layer],
            target=item,
            fields=body.validated_data,
            version=version,
            actor=caller_of(request).name,
        )
        return _answer(owner, layer, item)

    @extend_schema(parameters=[*WHOSE, IF_MATCH])
    def delete(self, request: Request, layer: str, item: UUID) -> Response:
        """Delete an item for good; nothing that is under way brings it back."""
        target = Target(LAYERS[layer], item, version_of(request))
        forget_one(owner=_known(request, layer), item=target, actor=caller_of(request).name)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _switched(request: Request) -> tuple[Owner, bool]:
    """Return whose switch is set, and how; whoever was never met is known from then on."""
    body = SwitchIn(data=request.data)
    body.is_valid(raise_exception=True)
    asked, agent = body.validated_data, caller_of(request).agent
    owner = owner_named(agent, asked) or resolve_owner(agent=agent, user=asked["user"])
    return owner, asked["enabled"]


def _known(request: Request, layer: str) -> Owner:
    """Return the owner that the query names. Raises ItemUnknown if the agent has never met them."""
    owner = owner_in_query(request)
    if owner is None:
        raise ItemUnknown(f"no such item among the {layer}")
    return owner


def _rows(owner: Owner | None, layer: str) -> LearnedQuerySet:
    rows: LearnedQuerySet = LEARNED[LAYERS[layer]].objects.all()
    if owner is None:
        return rows.none()
    return rows.within(scope_of(owner.agent, owner=owner.pk)).defer(*_vectors(rows.model))


def _vectors(model: type[Learned]) -> tuple[str, ...]:
    return tuple(name for name in ("embedding",) if hasattr(model, name))


def _answer(owner: Owner | None, layer: str, id: UUID) -> Response:
    item = _rows(owner, layer).filter(pk=id).first()
    if item is None:
        raise ItemUnknown(f"no such item among the {layer}")
    return Response(shown(item), headers={"ETag": f'"{item.version}"'})

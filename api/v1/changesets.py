"""Changes of what was learned: an operator reads them, decides what waits, and takes runs back."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.authentication import caller_of
from api.pagination import page
from api.permissions import IsOperator
from api.v1.fields import IdPage
from consolidation.edits.corrections import take_back
from knowledge.changes.review import settle
from knowledge.models import ChangeItem, Changeset
from knowledge.models.change import ChangesetQuerySet

ITEM = (
    "kind",
    "act",
    "target",
    "before",
    "after",
    "quote",
    "source_event",
    "confidence",
    "code",
    "reason",
    "policy_version",
    "state",
    "decided_by",
    "decided_at",
)


class ChangesetPage(IdPage):
    """With `user` and `agent` those of one person or agent; `state` waiting those that need a decision."""

    user = serializers.CharField(max_length=255, required=False)
    agent = serializers.CharField(max_length=41, required=False)
    state = serializers.ChoiceField(choices=["any", "waiting"], default="any")


class ChangesetList(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(
        parameters=[ChangesetPage],
    )
    def get(self, request: Request) -> Response:
        """List runs of changes without their words, newest first."""
        query = ChangesetPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        rows = _mine(request).order_by("-pk")
        if "user" in asked:
            rows = rows.filter(owner__kind="user", owner__key=asked["user"])
        if "agent" in asked:
            rows = rows.filter(owner__agent__slug=asked["agent"])
        if asked["state"] == "waiting":
            rows = rows.waiting()
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        results = [_shown(changeset) for changeset in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class ChangesetDetail(APIView):
    permission_classes = (IsOperator,)

    def get(self, request: Request, changeset: UUID) -> Response:
        """Show a run with each change: what was, what is, the quote, and the verdict."""
        return _answer(request, changeset)


class ChangesetRevert(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=None)
    def post(self, request: Request, changeset: UUID) -> Response:
        """Take a run back as a whole, once for all calls; answer with the changeset that did."""
        made = take_back(changeset=_found(request, changeset), actor=caller_of(request).name)
        return _answer(request, made.pk)


class ChangeDecision(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=None)
    def post(self, request: Request, changeset: UUID, place: int, decision: str) -> Response:
        """Approve or reject a change that waits, with what belongs to the same replacement."""
        items = ChangeItem.objects.filter(changeset=_found(request, changeset))
        item: ChangeItem = get_object_or_404(items, place=place)
        settle(item=item, approve=decision == "approve", actor=caller_of(request).name)
        return _answer(request, changeset)


def _mine(request: Request) -> ChangesetQuerySet:
    mine = Changeset.objects.of_organization(caller_of(request).organization.pk)
    return mine.counted().select_related("owner__agent", "reverted_by")


def _found(request: Request, id: UUID) -> Changeset:
    found: Changeset = get_object_or_404(_mine(request), pk=id)
    return found


def _answer(request: Request, id: UUID) -> Response:
    found = _found(request, id)
    items = [
        {"item": item.place, **{name: getattr(item, name) for name in ITEM}}
        for item in found.items.order_by("place")
    ]
    return Response(_shown(found) | {"items": items})


def _shown(changeset: Changeset) -> dict[str, object]:
    owner = changeset.owner
    names = ("origin", "actor", "session", "created_at", "reverted_at")
    reversal = getattr(changeset, "reverted_by", None)
    return {
        "id": changeset.pk,
        "agent": owner.agent.slug,
        "user": owner.key if owner.kind == owner.Kind.USER else None,
        **{name: getattr(changeset, name) for name in names},
        "reverts": changeset.reverts_id,
        "reverted_by": reversal.pk if reversal else None,
        "items_total": getattr(changeset, "item_count", 0),
        "items_waiting": getattr(changeset, "waiting_count", 0),
    }

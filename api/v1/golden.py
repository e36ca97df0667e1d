"""Golden questions: what should come, so that another setting is tried on it before a switch."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import UserUnknown
from accounts.owners import find_owner
from api.authentication import caller_of
from api.idempotency import KEY, key_of
from api.pagination import page
from api.v1.fields import Body, IdPage, Text
from recall.errors import GoldenUnknown
from recall.golden.keeping import (
    MOST_EXPECTED,
    NOTE_CHARACTERS,
    QUERY_CHARACTERS,
    RecordedQuestion,
    drop_question,
    find_question,
    keep_question,
    keep_receipt,
)
from recall.models import GoldenQuestion, Receipt

WHICH = "give a `receipt`, or `user`, `query` and `expected`"


class GoldenIn(Body):
    """A `receipt`, whose first results should come unless `expected` names others; or a question.

    `expected` holds ids of results from sessions, or of events.
    """

    receipt = serializers.UUIDField(required=False)
    user = Text(max_length=255, required=False)
    query = Text(max_length=QUERY_CHARACTERS, required=False)
    expected = serializers.ListField(
        child=serializers.UUIDField(), min_length=1, max_length=MOST_EXPECTED, required=False
    )
    note = Text(max_length=NOTE_CHARACTERS, allow_blank=True, default="")

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        by_hand = {"user", "query"} & attrs.keys()
        if bool(by_hand) == ("receipt" in attrs):
            raise serializers.ValidationError(WHICH)
        if by_hand and not {"user", "query", "expected"} <= attrs.keys():
            raise serializers.ValidationError(WHICH)
        return attrs


class GoldenList(APIView):
    @extend_schema(
        request=GoldenIn,
        parameters=[KEY],
    )
    def post(self, request: Request) -> Response:
        """Record what should come; of a question that is known it replaces what was expected."""
        body = GoldenIn(data=request.data)
        body.is_valid(raise_exception=True)
        kept = _keep(request, body.validated_data)
        code = status.HTTP_201_CREATED if kept.is_new else status.HTTP_200_OK
        return Response(_shown(kept.question), status=code)

    @extend_schema(parameters=[IdPage])
    def get(self, request: Request) -> Response:
        """List the agent's golden questions, newest first."""
        query = IdPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        rows = GoldenQuestion.objects.within(caller_of(request).scope).order_by("-pk")
        if asked["after"]:
            rows = rows.filter(pk__lt=asked["after"])
        listed = rows.select_related("owner")[: asked["limit"] + 1]
        found, has_more = page(list(listed), asked["limit"])
        results = [_shown(one) for one in found]
        return Response({"results": results, "next": found[-1].pk if has_more else None})


class GoldenDetail(APIView):
    def delete(self, request: Request, question: UUID) -> Response:
        """Take a question out of the set."""
        caller = caller_of(request)
        drop_question(question=find_question(caller.scope, question), actor=caller.name)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _keep(request: Request, asked: dict) -> RecordedQuestion:
    caller = caller_of(request)
    receipt, user = asked.pop("receipt", None), asked.pop("user", None)
    given = {**asked, "actor": caller.name, "request_key": key_of(request)}
    if receipt is not None:
        mine = Receipt.objects.within(caller.scope).select_related("owner__agent")
        found = mine.filter(pk=receipt).first()
        if found is None:
            raise GoldenUnknown("no such receipt")
        return keep_receipt(receipt=found, **given)
    owner = find_owner(agent=caller.agent, user=str(user))
    if owner is None:
        raise UserUnknown("the agent has never met this user")
    return keep_question(owner=owner, **given)


def _shown(one: GoldenQuestion) -> dict[str, object]:
    names = ("query", "expected", "note", "created_at")
    shown = {name: getattr(one, name) for name in names}
    return {"id": one.pk, "user": one.owner.key, "receipt": one.receipt_id, **shown}

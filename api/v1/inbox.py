"""Scores for what waits in a user's inbox."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import resolve_owner
from api.authentication import caller_of
from api.v1.fields import Body, Text
from extraction.contracts.inbox_scores import MOST_ITEMS
from recall.inbox import InboxRanker, RankedMessage


class ItemIn(Body):
    """One item of an inbox under the caller's `id`."""

    id = Text(max_length=255)
    sender = Text(max_length=320, required=False, allow_blank=True)
    subject = Text(max_length=1_000, required=False, allow_blank=True)
    text = Text(max_length=20_000, required=False, allow_blank=True)


class InboxScoresIn(Body):
    user = Text(max_length=255)
    items = serializers.ListField(child=ItemIn(), allow_empty=False, max_length=MOST_ITEMS)


class InboxScoring(APIView):
    @extend_schema(request=InboxScoresIn)
    def post(self, request: Request) -> Response:
        """Score items by the user's own guidance and what is known of them, all in one call."""
        body = InboxScoresIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = resolve_owner(agent=caller_of(request).agent, user=asked["user"])
        items = [RankedMessage(**item) for item in asked["items"]]
        ranking = InboxRanker().score_multiple(items, owner=owner)
        return Response(asdict(ranking) | {"degraded": ranking.degraded or None})

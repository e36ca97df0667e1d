"""Messages of a user's inbox, for the autonomous cycle."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import resolve_owner
from api.authentication import caller_of
from api.v1.fields import Body, Moment, Text
from consolidation.observations.inbox import InboxMessage, accept_items

MOST_ITEMS = 100
CHARACTERS = 20_000


class InboxItemIn(Body):
    """A message; of one `id` only the first is worked through."""

    id = Text(max_length=255)
    channel = Text(max_length=50)
    sender = Text(max_length=255, allow_blank=True, default="")
    subject = Text(max_length=1_000, allow_blank=True, default="")
    text = Text(max_length=CHARACTERS, allow_blank=True)
    received_at = Moment()

    def validate(self, attrs: dict[str, object]) -> InboxMessage:
        return InboxMessage(**attrs)  # type: ignore[arg-type]  # the fields are the item's


class InboxIn(Body):
    user = Text(max_length=255)
    items = serializers.ListField(child=InboxItemIn(), allow_empty=False, max_length=MOST_ITEMS)


class Inbox(APIView):
    @extend_schema(request=InboxIn)
    def post(self, request: Request) -> Response:
        """Have messages looked through for what they say of the user; then their words go."""
        body = InboxIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = resolve_owner(agent=caller_of(request).agent, user=asked["user"])
        new = accept_items(owner=owner, items=asked["items"])
        sent = len(asked["items"])
        return Response({"accepted": new, "known": sent - new}, status=status.HTTP_202_ACCEPTED)

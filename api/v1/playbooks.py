"""Playbooks: templates filled with what is known of a user."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.owners import resolve_owner
from api.authentication import caller_of
from api.v1.fields import Body, Metadata, Text
from recall.prompt.playbooks.fill import render_playbook

# Longer than any template may be: what it says of that is clearer than a field's limit.
TEMPLATE_CHARACTERS = 20_000


class PlaybookIn(Body):
    """A template in Jinja2, whose it is to be, and variables of the caller's, at most 8 KiB."""

    user = Text(max_length=255)
    template = Text(max_length=TEMPLATE_CHARACTERS, allow_blank=True)
    variables = Metadata(default=dict)


class PlaybookRendering(APIView):
    @extend_schema(request=PlaybookIn)
    def post(self, request: Request) -> Response:
        """Fill a template with the user's narrative, profile and learned info."""
        body = PlaybookIn(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        owner = resolve_owner(agent=caller_of(request).agent, user=asked["user"])
        text = render_playbook(asked["template"], owner=owner, variables=asked["variables"])
        return Response({"text": text})

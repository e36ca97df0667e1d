"""The picture of a user: what it holds and why, changing it, and what a governance layer reads."""

from collections.abc import Mapping
from dataclasses import asdict

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.guidance import set_inbox_guidance
from accounts.models import Connection, Owner
from accounts.owners import find_owner, resolve_owner, scope_of
from api.authentication import caller_of
from api.v1.fields import Text
from knowledge.models import Contradiction, LearnedInfo, Scaffold, ScaffoldEntry, UserNarrative
from recall.governance import MemoryState, memory_state
from recall.inbox import guidance_of

GUIDANCE_CHARACTERS = 4_000
MOST_CONTRADICTIONS = 50
NO_PICTURE: Mapping[str, object] = {
    "narrative": {"text": "", "statements": [], "version": 0},
    "scaffold": {"data": {}, "version": 0, "entries": []},
    "learned_info": {"items": [], "version": 0},
    "connections": [],
    "contradictions": [],
    "inbox_guidance": "",
}
ENTRY = (
    "path",
    "confidence",
    "channel",
    "is_correction",
    "is_sensitive",
    "evidence",
    "observed_at",
)
CONNECTION = ("id", "tool", "name", "is_active", "version", "persistent_learned_info")
SIDES = ("path", "kept", "lost", "rule", "kept_events", "lost_events", "changeset", "created_at")


class ProfileIn(serializers.Serializer):
    """What of an inbox matters to the user; the empty text takes it away."""

    inbox_guidance = Text(max_length=GUIDANCE_CHARACTERS, allow_blank=True)


class UserProfile(APIView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, user: str) -> Response:
        """Show what is known of a user, how sure each leaf is, and what it was learned from."""
        owner = find_owner(agent=caller_of(request).agent, user=user)
        return Response(_shown(owner) if owner else NO_PICTURE)

    @extend_schema(request=ProfileIn, responses={200: OpenApiTypes.OBJECT})
    def patch(self, request: Request, user: str) -> Response:
        """Change what a user says of their inbox."""
        body = ProfileIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller = caller_of(request)
        owner = resolve_owner(agent=caller.agent, user=user)
        text = body.validated_data["inbox_guidance"]
        set_inbox_guidance(owner=owner, text=text, actor=caller.name)
        owner.refresh_from_db()
        return Response(_shown(owner))


class UserMemoryState(APIView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request, user: str) -> Response:
        """Show the goals of S and the current context of W."""
        owner = find_owner(agent=caller_of(request).agent, user=user)
        state = memory_state(owner) if owner else MemoryState()
        return Response(asdict(state))


def _shown(owner: Owner) -> Mapping[str, object]:
    scope = scope_of(owner.agent, owner=owner.pk)
    narrative = UserNarrative.objects.within(scope).values("text", "statements", "version").first()
    scaffold = Scaffold.objects.within(scope).values("data", "version").first()
    entries = list(ScaffoldEntry.objects.within(scope).order_by("path").values(*ENTRY))
    learned = LearnedInfo.objects.within(scope).values("items", "version").first()
    connections = Connection.objects.filter(owner=owner).order_by("tool", "name")
    sides = Contradiction.objects.within(scope).order_by("-created_at", "-pk").values(*SIDES)
    found = {
        "narrative": narrative,
        "scaffold": {**scaffold, "entries": entries} if scaffold else None,
        "learned_info": learned,
        "connections": list(connections.values(*CONNECTION)),
        "contradictions": list(sides[:MOST_CONTRADICTIONS]),
        "inbox_guidance": guidance_of(owner),
    }
    return {**NO_PICTURE, **{name: part for name, part in found.items() if part is not None}}

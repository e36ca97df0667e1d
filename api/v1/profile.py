"""The picture of a user: what it holds and why, changing it, and what a governance layer reads."""

from collections.abc import Callable, Mapping
from dataclasses import asdict

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.guidance import set_inbox_guidance
from accounts.models import Connection, Owner
from accounts.owners import find_owner, resolve_owner, scope_of
from api.authentication import caller_of
from api.v1.fields import Body, Text
from api.versions import IF_MATCH, version_demanded
from consolidation.edits.profile import change_profile
from knowledge.models import Contradiction, LearnedInfo, Scaffold, ScaffoldEntry, UserNarrative
from knowledge.profile.items import MOST_LEARNED
from knowledge.profile.sureness import aged
from recall.inbox import guidance_of
from recall.prompt.sources.governance import GovernedState, memory_state

GUIDANCE = "inbox_guidance"
GUIDANCE_CHARACTERS = 4_000
NARRATIVE_CHARACTERS = 20_000
LEARNED_CHARACTERS = 2_000
# A part of the request as the fields of its change.
FIELDS: Mapping[str, Callable[[object], Mapping[str, object]]] = {
    "narrative": lambda text: {"text": text},
    "scaffold": lambda leaves: dict(leaves) if isinstance(leaves, dict) else {},
    "learned_info": lambda items: {"items": items},
}
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


class ProfileIn(Body):
    """One part of it.

    The narrative's text, leaves of the scaffold by JSON Pointer (null takes one out), all texts of
    learned info, or what of an inbox matters to the user.
    """

    narrative = Text(max_length=NARRATIVE_CHARACTERS, required=False, allow_blank=True)
    scaffold = serializers.DictField(required=False, allow_empty=False)
    learned_info = serializers.ListField(
        child=Text(max_length=LEARNED_CHARACTERS), required=False, max_length=MOST_LEARNED
    )
    inbox_guidance = Text(max_length=GUIDANCE_CHARACTERS, required=False, allow_blank=True)

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if len(attrs) != 1:
            raise serializers.ValidationError("change one part at a time")
        return attrs


class UserProfile(APIView):
    def get(self, request: Request, user: str) -> Response:
        """Show what is known of a user, how sure each leaf is, and what it was learned from."""
        owner = find_owner(agent=caller_of(request).agent, user=user)
        return Response(_shown(owner) if owner else NO_PICTURE)

    @extend_schema(request=ProfileIn, parameters=[IF_MATCH])
    def patch(self, request: Request, user: str) -> Response:
        """Change one part in the version that was seen; guidance of the inbox has no version."""
        body = ProfileIn(data=request.data)
        body.is_valid(raise_exception=True)
        caller = caller_of(request)
        ((part, value),) = body.validated_data.items()
        version = 0 if part == GUIDANCE else version_demanded(request)
        owner = resolve_owner(agent=caller.agent, user=user)
        if part == GUIDANCE:
            set_inbox_guidance(owner=owner, text=value, actor=caller.name)
        else:
            change_profile(
                owner=owner,
                part=part,
                fields=FIELDS[part](value),
                version=version,
                actor=caller.name,
            )
        owner.refresh_from_db()
        return Response(_shown(owner))


class UserMemoryState(APIView):
    def get(self, request: Request, user: str) -> Response:
        """Show the goals of S and the current context of W."""
        owner = find_owner(agent=caller_of(request).agent, user=user)
        state = memory_state(owner) if owner else GovernedState()
        return Response(asdict(state))


def _shown(owner: Owner) -> Mapping[str, object]:
    scope = scope_of(owner.agent, owner=owner.pk)
    narrative = UserNarrative.objects.within(scope).values("text", "statements", "version").first()
    scaffold = Scaffold.objects.within(scope).values("data", "version").first()
    now = timezone.now()
    entries = [
        row | {"confidence": aged(row["confidence"], row["channel"], row["observed_at"], now)}
        for row in ScaffoldEntry.objects.within(scope).order_by("path").values(*ENTRY)
    ]
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

"""What one request says beside its message: who asks, about whom, and which tools they see."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import Caller, caller_of
from api.v1.fields import Body, Text
from api.v1.tools.base import Tool
from api.v1.tools.calling import CallContext
from api.v1.tools.profiles import EVERY, PROFILES, tools_of
from memory.models.window import Lane

HEADERS = {
    "session": "X-Recollect-Session",
    "user": "X-Recollect-User",
    "lane": "X-Recollect-Lane",
    "profile": "X-Recollect-Tools",
}
# Arguments that every tool takes beside its own, unless a header has said them.
WHERE = ("user", "session")


class WhereIn(Body):
    """Headers, or arguments: where the model is that calls."""

    session = serializers.UUIDField(required=False, allow_null=True)
    user = Text(max_length=255, required=False, allow_null=True)


class HeadersIn(WhereIn):
    lane = serializers.ChoiceField(choices=Lane.choices, default=Lane.EDGE)
    profile = serializers.ChoiceField(choices=[*PROFILES, EVERY], default="default")


@dataclass(frozen=True, slots=True)
class Asking:
    """`place` is what the headers fix: no argument of a model changes it."""

    caller: Caller
    place: CallContext
    tools: tuple[Tool, ...]

    @property
    def is_fixed(self) -> bool:
        return self.place.session is not None or self.place.user is not None

    def at(self, where: Mapping[str, object]) -> CallContext:
        """Return where a call is made. Raises ValidationError for what cannot be a place."""
        if self.is_fixed:
            return self.place
        checked = WhereIn(data=where)
        checked.is_valid(raise_exception=True)
        session, user = (checked.validated_data.get(name) for name in ("session", "user"))
        return replace(
            self.place,
            session=session if isinstance(session, UUID) else None,
            user=user if isinstance(user, str) else None,
        )


def asking_of(request: Request) -> Asking:
    """Read the headers and `?profile=`. Raises ValidationError."""
    given = {
        name: request.headers[header]
        for name, header in HEADERS.items()
        if header in request.headers
    }
    if "profile" in request.query_params:
        given["profile"] = request.query_params["profile"]
    checked = HeadersIn(data=given)
    checked.is_valid(raise_exception=True)
    said = checked.validated_data
    place = CallContext(said.get("session"), said.get("user"), said["lane"])
    return Asking(caller_of(request), place, tools_of(said["profile"]))

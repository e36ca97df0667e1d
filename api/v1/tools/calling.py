"""Call a tool: the one way in, whichever interface it is called through."""

from dataclasses import dataclass
from uuid import UUID

from rest_framework.generics import get_object_or_404

from api.authentication import Caller
from api.v1.tools.base import Json, Tool, ToolInvocation
from memory.incognito import is_incognito
from memory.models import Session
from memory.models.window import Lane


@dataclass(frozen=True, slots=True)
class CallContext:
    """Where the model is that calls: in a session, or with a user, or in neither."""

    session: UUID | None = None
    user: str | None = None
    lane: str = Lane.EDGE.value


def call_tool(
    tool: Tool,
    *,
    caller: Caller,
    place: CallContext,
    arguments: Json,
    request_key: str | None = None,
) -> Json:
    """Check the arguments and run the tool.

    Raises ValidationError, Http404 for a session the caller has not, and whatever the tool raises.
    """
    checked = tool.arguments(data=arguments)
    checked.is_valid(raise_exception=True)
    is_room = bool(place.session and tool.knows_incognito and is_incognito(place.session))
    call = ToolInvocation(
        agent=caller.agent,
        actor=caller.name,
        session=None if is_room else _session(caller, place.session),
        is_incognito=is_room,
        lane=place.lane,
        request_key=request_key,
        user=place.user,
    )
    return tool.run(call, checked.validated_data)


def _session(caller: Caller, session: UUID | None) -> Session | None:
    if session is None:
        return None
    mine = Session.objects.within(caller.scope).select_related("owner__agent__organization")
    found: Session = get_object_or_404(mine, pk=session)
    return found

"""What a host may read without a tool: a person's profile, and the newest sessions."""

import re
from urllib.parse import unquote

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from accounts.owners import find_owner, scope_of
from api.mcp.asking import Asking
from api.mcp.results import encoded
from api.v1.items import LAYERS, shown
from knowledge.items.rows import LEARNED
from knowledge.models.learned import Learned
from memory.models import Session

JSON = "application/json"
RECENT = "recollect://sessions/recent"
PROFILE = "recollect://profile/{user}"
PROFILE_OF = re.compile(r"recollect://profile/([^/?#]+)")
MOST_SESSIONS = 20
MOST_ITEMS = 100


def resources(asking: Asking) -> list[Resource]:
    found = [
        Resource(
            uri=RECENT,
            name="sessions",
            description=f"The newest {MOST_SESSIONS} sessions, with their summaries.",
            mime_type=JSON,
        )
    ]
    if asking.place.user:
        own = PROFILE.format(user=asking.place.user)
        found.append(
            Resource(uri=own, name="profile", description="What is known.", mime_type=JSON)
        )
    return found


def templates() -> list[ResourceTemplate]:
    return [
        ResourceTemplate(
            uri_template=PROFILE,
            name="profile",
            description="What is known of a person: facts, sessions in short, and rules.",
            mime_type=JSON,
        )
    ]


def read(asking: Asking, uri: str) -> ReadResourceResult:
    """Return a resource as JSON. Raises MCPError for one there is not, or that is not theirs."""
    profile = PROFILE_OF.fullmatch(uri)
    user = unquote(profile[1]) if profile else ""
    if uri == RECENT:
        value = _recent(asking)
    elif user and "\0" not in user and asking.place.user in {None, user}:
        value = _profile(asking, user)
    else:
        raise MCPError(INVALID_PARAMS, "there is no such resource", {"uri": uri})
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=JSON, text=encoded(value))]
    )


def _recent(asking: Asking) -> dict[str, object]:
    rows = Session.objects.within(asking.caller.scope).select_related("owner").order_by("-pk")
    if asking.place.user:
        rows = rows.filter(owner__kind="user", owner__key=asking.place.user)
    return {"sessions": [_session(row) for row in rows[:MOST_SESSIONS]]}


def _session(row: Session) -> dict[str, object]:
    names = ("id", "state", "opened_at", "last_event_at", "ended_at")
    user = row.owner.key if row.owner.kind == "user" else None
    found = {name: getattr(row, name) for name in names}
    return {**found, "user": user, "summary": row.summary or None}


def _profile(asking: Asking, user: str) -> dict[str, object]:
    owner = find_owner(agent=asking.caller.agent, user=user)
    if owner is None:
        return {"user": user, **{layer: [] for layer in LAYERS}}
    scope = scope_of(owner.agent, owner=owner.pk)
    found: dict[str, object] = {"user": user}
    for layer, kind in LAYERS.items():
        rows = LEARNED[kind].objects.within(scope).active().order_by("-pk")
        found[layer] = [shown(row) for row in rows[:MOST_ITEMS] if isinstance(row, Learned)]
    return found

"""What is known of a user, as a prompt needs it: W, S, learned info, and what their tools taught."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import orjson
from django.utils import timezone

from accounts.driver import run
from accounts.models import Connection, Owner
from knowledge.profile.sureness import aged

# What a tool is called is the person's or the agent's word, and short.
NAME_CHARACTERS, MOST_CONNECTIONS = 80, 20
# No model and no vector is asked: what stands here is in a prompt when all of those are down.
LOAD = """
select narrative.id, narrative.version, narrative.text,
       scaffold.id, scaffold.version, scaffold.data::text,
       (select jsonb_agg(jsonb_build_array(path, confidence, channel, observed_at))::text
        from knowledge_scaffoldentry where owner_id = %(owner)s),
       learned.id, learned.version, learned.items::text,
       (select jsonb_agg(jsonb_build_array(id, version, tool, name, persistent_learned_info)
                         order by tool, name)::text
        from accounts_connection
        where owner_id = %(owner)s and persistent_learned_info <> '{}'
          and case when %(connections)s::uuid[] is null then is_active
                   else id = any(%(connections)s) end)
from (select 1) one
left join knowledge_usernarrative narrative on narrative.owner_id = %(owner)s
left join knowledge_scaffold scaffold on scaffold.owner_id = %(owner)s
left join knowledge_learnedinfo learned on learned.owner_id = %(owner)s
"""


@dataclass(frozen=True, slots=True)
class NarrativePart:
    """W. A part that was never written has no id and the version 0."""

    id: UUID | None = None
    version: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Structured:
    """S; `confidences` are of its leaves, by JSON Pointer."""

    id: UUID | None = None
    version: int = 0
    data: Mapping[str, object] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)

    def sure_of(self, path: str) -> float | None:
        """Return the confidence of a leaf, or of the nearest above it; None where none is kept."""
        while path:
            if path in self.confidences:
                return self.confidences[path]
            path = path.rpartition("/")[0]
        return None


@dataclass(frozen=True, slots=True)
class LearnedTexts:
    """What was learned besides, the oldest first."""

    id: UUID | None = None
    version: int = 0
    items: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class OfTool:
    """What was learned of one connection."""

    id: UUID
    version: int
    tool: str
    name: str
    info: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ProfilePicture:
    """The picture of one owner."""

    narrative: NarrativePart = NarrativePart()
    scaffold: Structured = Structured()
    learned: LearnedTexts = LearnedTexts()
    connections: Sequence[OfTool] = ()


NO_PROFILE = ProfilePicture()


def load_profile(owner: Owner, *, connections: Sequence[UUID] | None = None) -> ProfilePicture:
    """Read an owner's profile in one statement.

    Of the owner's connections those named count, whoever else's are named; None means all that are
    active.
    """
    named = None if connections is None else list(connections)
    ((*told, scaffold, scaffold_version, data, sure, learned, learned_version, items, tools),) = (
        run(LOAD, {"owner": owner.pk, "connections": named})
    )
    narrative, version, text = told
    return ProfilePicture(
        NarrativePart(narrative, version or 0, text or ""),
        Structured(scaffold, scaffold_version or 0, orjson.loads(data or "{}"), _read(sure)),
        LearnedTexts(learned, learned_version or 0, orjson.loads(items or "[]")),
        [_of_tool(*row) for row in orjson.loads(tools or "[]")],
    )


def active_connections(owner: Owner, connections: Sequence[UUID] | None) -> dict[str, str]:
    """Return what the owner's connections are called, by id: those named, else all that are active."""
    mine = Connection.objects.filter(owner=owner)
    chosen = mine.filter(is_active=True) if connections is None else mine.filter(pk__in=connections)
    rows = chosen.order_by("tool", "name", "pk").values_list("pk", "tool", "name")
    return {
        str(pk): " ".join(f"{tool} {name}".split())[:NAME_CHARACTERS]
        for pk, tool, name in rows[:MOST_CONNECTIONS]
    }


def _read(sure: str | None) -> dict[str, float]:
    now = timezone.now()
    return {
        path: aged(confidence, channel, datetime.fromisoformat(seen), now)
        for path, confidence, channel, seen in orjson.loads(sure or "[]")
    }


def _of_tool(id: str, version: int, tool: str, name: str, info: Mapping[str, object]) -> OfTool:
    return OfTool(UUID(id), version, tool, name, info)

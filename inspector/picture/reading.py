"""The picture of a person in plain words."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from accounts.models import Connection, Owner
from consolidation.models import ContextEvent
from knowledge.models import Contradiction, Pattern, ScaffoldEntry, UserNarrative
from knowledge.profile.edit import Picture, read_profile
from knowledge.profile.pointers import Data, keys_of, leaves
from knowledge.profile.sureness import aged

QUITE, FAIRLY = 0.75, 0.5
MOST_SHOWN = 50
WON = {
    "person": "because you wrote it yourself",
    "correction": "because it was a correction",
    "newer": "because it is newer",
    "interactive": "because you said it, and the other was found in the background",
}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of the profile: where it stands, what it says, how sure, since when, by which words."""

    path: str
    name: str
    text: str
    is_list: bool
    sure: str
    seen_at: datetime | None
    quotes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ProfileGroup:
    """What stands under one key of the profile."""

    name: str
    leaves: Sequence[Leaf]


@dataclass(frozen=True, slots=True)
class PicturePage:
    """A whole picture as the page shows it."""

    picture: Picture
    statements: Sequence[Mapping[str, object]]
    groups: Sequence[ProfileGroup]
    contradictions: Sequence[Mapping[str, object]]
    patterns: Sequence[Pattern]
    connections: Sequence[Connection]

    @property
    def is_empty(self) -> bool:
        return not (self.picture.working_memory or self.groups or self.picture.learned)


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that was learned of a tool; only a text is changed in a form."""

    key: str
    text: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class ConnectedTool:
    """A connection, and what was learned of it."""

    connection: Connection
    notes: Sequence[Note]


def tools_of(connections: Sequence[Connection]) -> list[ConnectedTool]:
    return [
        ConnectedTool(
            one,
            [
                Note(key, text_of(value), isinstance(value, str))
                for key, value in one.persistent_learned_info.items()
            ],
        )
        for one in connections
    ]


def show(owner: Owner) -> PicturePage:
    """Read an owner's picture; the number of queries does not grow with it."""
    picture = read_profile(owner)
    narrative = (
        UserNarrative.objects.filter(owner=owner).values_list("statements", flat=True).first()
    )
    return PicturePage(
        picture,
        [_dated(one) for one in narrative or []],
        _groups(owner, picture.scaffold),
        _contradictions(owner),
        list(Pattern.objects.filter(owner=owner).order_by("-strength")[:MOST_SHOWN]),
        list(Connection.objects.filter(owner=owner).order_by("tool", "name")),
    )


def sureness(share: float) -> str:
    if share >= QUITE:
        return "quite sure"
    return "fairly sure" if share >= FAIRLY else "not sure"


def _dated(statement: Mapping[str, object]) -> Mapping[str, object]:
    since = statement.get("since")
    return {**statement, "since": datetime.fromisoformat(str(since)) if since else None}


def _groups(owner: Owner, data: Data) -> list[ProfileGroup]:
    entries = {one.path: one for one in ScaffoldEntry.objects.filter(owner=owner)}
    wanted = [event for one in entries.values() for event in one.evidence[-1:]]
    said = dict(ContextEvent.objects.filter(pk__in=wanted).values_list("pk", "content"))
    found: dict[str, list[Leaf]] = {}
    for path, value in leaves(data).items():
        entry = entries.get(path)
        quotes = [said.get(event, "") for event in entry.evidence[-1:]] if entry else []
        keys = keys_of(path)
        leaf = Leaf(
            path,
            ", ".join(keys[1:]),
            text_of(value),
            isinstance(value, list),
            sureness(sure_now(entry)) if entry else "",
            entry.observed_at if entry else None,
            [quote for quote in quotes if quote],
        )
        found.setdefault(keys[0], []).append(leaf)
    return [ProfileGroup(name, listed) for name, listed in found.items()]


def sure_now(entry: ScaffoldEntry) -> float:
    return aged(entry.confidence, entry.channel, entry.observed_at, timezone.now())


def text_of(value: object) -> str:
    if isinstance(value, list):
        return "\n".join(text_of(one) for one in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _contradictions(owner: Owner) -> list[Mapping[str, object]]:
    rows = Contradiction.objects.filter(owner=owner).order_by("-created_at")[:MOST_SHOWN]
    return [
        {
            "name": ", ".join(keys_of(one.path)) if one.path else "What you are about",
            "kept": text_of(one.kept) if one.kept is not None else "nothing",
            "lost": text_of(one.lost) if one.lost is not None else "nothing",
            "why": WON.get(one.rule, one.rule),
            "at": one.created_at,
        }
        for one in rows
    ]

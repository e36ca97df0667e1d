"""What comes back over several sessions: themes, loose ends, tools (pure)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ranking.overlap import Words, are_alike, words
from ranking.tokens import meaningful

# Twice may be chance; what is left open twice is worth asking about.
LEAST_SESSIONS = {"theme": 3, "open_loop": 2, "tool": 3}
HALF_LIFE_DAYS = 60.0
MOST_WORDS = 50
KEY_CHARACTERS = 200
TEXT_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Sighting:
    """A theme, a loose end or a tool, once, in one session. `request` is what the tool was used for."""

    kind: str
    name: str
    session: UUID
    at: datetime
    source: UUID | None = None
    request: str = ""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """One name seen in several sessions, the newest wording of it, and how strong that is, 0 to 1."""

    kind: str
    key: str
    text: str
    sessions: tuple[UUID, ...]
    sources: tuple[UUID, ...]
    words: tuple[str, ...]
    strength: float
    first_seen_at: datetime
    last_seen_at: datetime


def recurrences(
    sightings: Sequence[Sighting], *, session_count: int, now: datetime, language: str
) -> list[Recurrence]:
    """Return what was seen in enough sessions, the strongest first.

    strength = sessions it is in / all sessions, halved for each 60 days since the last of them.
    """
    found = [
        _joined(group, session_count, now)
        for group in _groups(sorted(sightings, key=lambda one: one.at), language)
        if len({one.session for one in group}) >= LEAST_SESSIONS[group[0].kind]
    ]
    return sorted(found, key=lambda one: (-one.strength, one.kind, one.key))


def _groups(sightings: Sequence[Sighting], language: str) -> list[list[Sighting]]:
    """Put together what is named alike: a tool by its name, a theme or a loose end by its words."""
    groups: list[tuple[Words, list[Sighting]]] = []
    for one in sightings:
        named = words(one.name, language)
        for known, group in groups:
            if group[0].kind == one.kind and _is_same(one, group[0], named, known):
                group.append(one)
                break
        else:
            groups.append((named, [one]))
    return [group for _, group in groups]


def _is_same(one: Sighting, other: Sighting, named: Words, known: Words) -> bool:
    if one.name.casefold() == other.name.casefold():
        return True
    if one.kind == "theme":
        return bool(named.stems) and named.stems == known.stems
    return one.kind == "open_loop" and are_alike(named, known)


def _joined(group: Sequence[Sighting], session_count: int, now: datetime) -> Recurrence:
    sessions = tuple(dict.fromkeys(one.session for one in group))
    first, last = group[0], group[-1]
    age = max((now - last.at).total_seconds() / 86_400, 0.0)
    said = Counter(token for one in group for token in set(meaningful(one.request)))
    return Recurrence(
        kind=first.kind,
        key=first.name.casefold()[:KEY_CHARACTERS],
        text=_text(last, len(sessions), session_count)[:TEXT_CHARACTERS],
        sessions=sessions,
        sources=tuple(dict.fromkeys(one.source for one in group if one.source)),
        words=tuple(token for token, _ in said.most_common(MOST_WORDS)),
        strength=min(len(sessions) / max(session_count, 1), 1.0) * 2 ** (-age / HALF_LIFE_DAYS),
        first_seen_at=first.at,
        last_seen_at=last.at,
    )


def _text(last: Sighting, sessions: int, of: int) -> str:
    did = {
        "theme": f"Spoke of {last.name}",
        "open_loop": f"Left open: {last.name}",
        "tool": f"Used {last.name}",
    }[last.kind]
    return f"{did}, in {sessions} of {of} sessions, last on {last.at:%d %B %Y}"

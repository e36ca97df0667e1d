"""Check a `memory_delta` and apply it, whole or not at all (pure).

The shape is the seed's; the order of application is removals, then additions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

FIELDS = frozenset(
    {"mode", "summary_update", "add_references", "remove_references", "add_fact", "remove_fact"}
)
MOST_ITEMS = 200
KEY_CHARACTERS = 200
VALUE_CHARACTERS = 4_000
TEXT_CHARACTERS = 20_000


class DeltaInvalid(ValueError):
    """The delta is not applied; the text says which part of it is wrong, and quotes nothing."""


class DeltaMode(Enum):
    APPEND = "append"
    OVERWRITE = "overwrite"


@dataclass(frozen=True, slots=True)
class SummaryFact:
    """One fact of a reference summary; `source_event` is an event's reference."""

    key: str
    value: str
    source_event: str


@dataclass(frozen=True, slots=True)
class SummaryContent:
    """A reference summary as a value. References stand in the order of their first addition."""

    text: str = ""
    facts: tuple[SummaryFact, ...] = ()
    sessions: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    version: int = 0


@dataclass(frozen=True, slots=True)
class SummaryDelta:
    """A change to a summary, checked."""

    mode: DeltaMode
    update: str = ""
    add_references: tuple[str, ...] = ()
    remove_references: tuple[str, ...] = ()
    add_facts: tuple[SummaryFact, ...] = ()
    remove_facts: tuple[str, ...] = field(default=())


def checked(
    reply: object, *, events: Collection[str], sessions: Collection[str] = frozenset()
) -> SummaryDelta:
    """Return the delta that a reply's `memory_delta` holds.

    `events` are the references that exist in this session, `sessions` the ids of the agent's
    sessions. Raises DeltaInvalid for anything that is not exactly a delta on them.
    """
    raw = reply.get("memory_delta") if isinstance(reply, Mapping) else None
    if not isinstance(raw, Mapping) or len(reply) != 1 or not set(raw) <= FIELDS:  # type: ignore[arg-type]
        raise DeltaInvalid("memory_delta must be one object with the known fields")
    known = {*events, *sessions}
    added = _texts(raw, "add_references")
    if not known >= set(added):
        raise DeltaInvalid("add_references names something that does not exist")
    return SummaryDelta(
        mode=_mode(raw.get("mode")),
        update=_text(raw.get("summary_update", ""), "summary_update", TEXT_CHARACTERS),
        add_references=added,
        remove_references=_texts(raw, "remove_references"),
        add_facts=tuple(_fact(item, events) for item in _listed(raw, "add_fact")),
        remove_facts=tuple(_key(item) for item in _listed(raw, "remove_fact")),
    )


def applied(
    summary: SummaryContent, delta: SummaryDelta, *, sessions: Collection[str] = frozenset()
) -> SummaryContent:
    """Return the summary after a delta, one version on.

    References among `sessions` are to sessions, all others to events. An empty update keeps the text.
    """
    facts = {fact.key: fact for fact in summary.facts if fact.key not in delta.remove_facts}
    facts |= {fact.key: fact for fact in delta.add_facts}
    new_sessions = [name for name in delta.add_references if name in sessions]
    new_events = [name for name in delta.add_references if name not in sessions]
    return SummaryContent(
        text=_updated(summary.text, delta),
        facts=tuple(facts.values()),
        sessions=_merged(summary.sessions, delta.remove_references, new_sessions),
        events=_merged(summary.events, delta.remove_references, new_events),
        version=summary.version + 1,
    )


def _updated(text: str, delta: SummaryDelta) -> str:
    if not delta.update:
        return text
    if delta.mode is DeltaMode.OVERWRITE or not text:
        return delta.update
    return f"{text}\n{delta.update}"


def _merged(old: Sequence[str], removed: Sequence[str], added: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(name for name in old if name not in removed), *added]))


def _mode(value: object) -> DeltaMode:
    try:
        return DeltaMode(value)
    except ValueError as error:
        raise DeltaInvalid("mode must be append or overwrite") from error


def _text(value: object, name: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise DeltaInvalid(f"{name} must be a string of at most {most} characters")
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise DeltaInvalid(f"{name} holds a character that cannot be stored")
    return value


def _texts(raw: Mapping[object, object], name: str) -> tuple[str, ...]:
    value = raw.get(name, [])
    if not isinstance(value, list) or len(value) > MOST_ITEMS:
        raise DeltaInvalid(f"{name} must be a list of at most {MOST_ITEMS}")
    return tuple(_text(item, name, KEY_CHARACTERS) for item in value)


def _listed(raw: Mapping[object, object], name: str) -> list[object]:
    """Return one object or a list of them as a list; an empty object stands for none."""
    value = raw.get(name, [])
    found = value if isinstance(value, list) else [value]
    found = [item for item in found if item not in ({}, None)]
    if len(found) > MOST_ITEMS:
        raise DeltaInvalid(f"{name} holds more than {MOST_ITEMS}")
    return found


def _fact(item: object, events: Collection[str]) -> SummaryFact:
    if not isinstance(item, Mapping) or set(item) != {"key", "value", "source_event"}:
        raise DeltaInvalid("add_fact needs key, value and source_event, and nothing else")
    fact = SummaryFact(
        key=_text(item["key"], "key", KEY_CHARACTERS),
        value=_text(item["value"], "value", VALUE_CHARACTERS),
        source_event=_text(item["source_event"], "source_event", KEY_CHARACTERS),
    )
    if not fact.key or fact.source_event not in events:
        raise DeltaInvalid("add_fact needs a key, and a source_event of this session")
    return fact


def _key(item: object) -> str:
    if not isinstance(item, Mapping) or set(item) != {"key"}:
        raise DeltaInvalid("remove_fact needs a key, and nothing else")
    return _text(item["key"], "key", KEY_CHARACTERS)

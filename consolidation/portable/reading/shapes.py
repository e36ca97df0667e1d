"""What the JSON of some rows must look like, so that all that reads it later can."""

from collections.abc import Mapping, Sequence

from django.db.models import Model
from django.utils.dateparse import parse_datetime

from accounts.models import Connection
from consolidation.errors import ImportUnfit
from consolidation.portable.reading.checking import Row, text_of
from knowledge.connections import LEARNED_BYTES
from knowledge.models import LearnedInfo, Scaffold, ScaffoldEntry, UserNarrative
from knowledge.profile.edit import MOST_DEPTH, MOST_LEAVES, PATH_CHARACTERS, TEXT_CHARACTERS
from knowledge.profile.items import MOST_LEARNED
from knowledge.profile.pointers import keys_of, leaves
from memory.hashing import canonical
from memory.messages import Draft, Malformed, check
from memory.models import Event

# What has no place in a chat, and says of itself what it is.
UNSPOKEN = frozenset({Event.Type.INJECTED.value, Event.Type.CORE_JOB_START.value})
Sections = Mapping[type[Model], Sequence[Row]]


def check_shapes(sections: Sections) -> None:
    """Raise ImportUnfit for what could be kept, and not be read."""
    for model, check_row in CHECKS.items():
        for place, row in enumerate(sections.get(model, ())):
            if not check_row(row):
                name = str(model._meta.verbose_name_plural)  # noqa: SLF001 - documented by Django
                detail: dict[str, str | int] = {"section": name.replace(" ", "_"), "row": place}
                raise ImportUnfit(f"row {place} of {name} has another shape", detail=detail)


def draft_of_row(row: Row) -> Draft | None:
    """Return an event of the file as it is appended; None of one whose words were erased.

    Raises Malformed.
    """
    payload, at = row.get("payload"), row.get("occurred_at")
    if payload is None:
        return None
    if not isinstance(payload, dict):
        raise Malformed("a payload is an object")
    draft = Draft(
        type=text_of(row, "type"),
        payload=payload,
        lane=text_of(row, "lane"),
        tool_call_id=text_of(row, "tool_call_id"),
        skill_phase=text_of(row, "skill_phase"),
        occurred_at=at if hasattr(at, "tzinfo") else None,  # type: ignore[arg-type]  # a checked field
    )
    if draft.type not in UNSPOKEN:
        check(draft)
    return draft


def _is_event(row: Row) -> bool:
    try:
        draft_of_row(row)
    except Malformed:
        return False
    return isinstance(row.get("seq"), int) and bool(row.get("lane")) and bool(row.get("type"))


def _is_narrative(row: Row) -> bool:
    statements = row.get("statements", [])
    if len(text_of(row, "text")) > TEXT_CHARACTERS or not isinstance(statements, list):
        return False
    return all(isinstance(one, dict) and _is_statement(one) for one in statements)


def _is_statement(one: Mapping[str, object]) -> bool:
    times = (one.get("since"), one.get("confirmed_at"))
    return isinstance(one.get("text"), str) and all(map(_is_time, times))


def _is_time(value: object) -> bool:
    if value is None:
        return True
    try:
        found = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return False
    return found is not None and found.tzinfo is not None


def _is_scaffold(row: Row) -> bool:
    data = row.get("data", {})
    if not isinstance(data, dict):
        return False
    found = leaves(data)
    paths = [path for path in found if path.count("/") > MOST_DEPTH or len(path) > PATH_CHARACTERS]
    return len(found) <= MOST_LEAVES and not paths


def _is_scaffold_entry(row: Row) -> bool:
    try:
        keys_of(text_of(row, "path"))
    except ValueError:
        return False
    return {"confidence", "channel", "observed_at"} <= row.keys()


def _is_learned(row: Row) -> bool:
    items = row.get("items", [])
    if not isinstance(items, list) or len(items) > MOST_LEARNED:
        return False
    return all(isinstance(one, str) and one.strip() for one in items)


def _is_connection(row: Row) -> bool:
    learned = row.get("persistent_learned_info", {})
    is_small = isinstance(learned, dict) and len(canonical(learned)) <= LEARNED_BYTES
    is_fetched = row.get("refresh") == Connection.Refresh.HTTP
    return is_small and is_fetched == bool(row.get("schema_url"))


CHECKS = {
    Event: _is_event,
    UserNarrative: _is_narrative,
    Scaffold: _is_scaffold,
    ScaffoldEntry: _is_scaffold_entry,
    LearnedInfo: _is_learned,
    Connection: _is_connection,
}

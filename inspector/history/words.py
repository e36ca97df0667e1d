"""Fields of what was learned, in plain words (pure)."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from inspector.person.wording import CATEGORY, DOES, SURE
from knowledge.profile.pointers import keys_of

Names = Mapping[str, str]
# In the order in which they are told; what is not here is of no weight to a reader.
LABELS: Mapping[str, str] = {
    "path": "Place",
    "value": "Value",
    "predicate": "Relation",
    "object": "What",
    "subject": "Who",
    "category": "Kind",
    "confidence": "How sure",
    "evidence_quote": "Quote",
    "text": "Text",
    "content": "Text",
    "evidence": "Quotes",
    "summary": "Summary",
    "themes": "Themes",
    "open_loops": "Left open",
    "resolved_threads": "Settled",
    "mood_opened": "Mood at the start",
    "mood_closed": "Mood at the end",
    "approach_used": "Approach",
    "turn_count": "Turns of the user",
    "started_at": "Began",
    "ended_at": "Ended",
    "source_class": "Where from",
    "is_pinned": "Pinned",
    "is_quarantined": "Held back",
    "user_visible": "Shown to the person",
    "superseded_by": "Replaced by",
    "dormant_at": "Does not count since",
    "last_referenced_at": "Said last",
    "proactive_recall_enabled": "Brings up earlier conversations",
}
SOURCE = {
    "operator": "entered by an operator",
    "user_direct": "the person's own words",
    "agent_inference": "concluded by the agent",
    "tool_output": "what a tool returned",
    "other_agent": "another agent",
    "imported": "imported",
}
CODED: Mapping[str, Names] = {
    "predicate": DOES,
    "category": CATEGORY,
    "confidence": SURE,
    "source_class": SOURCE,
}
HEIRS = {
    "eviction": "nothing: there were too many rules",
    "mistake": "nothing: it was a mistake",
}
LONGEST = 2_000


def told(name: str, value: object, names: Names) -> str:
    """Return a field's value as a reader understands it; `names` are the words of items by id."""
    if value is None or value in ("", []):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name in CODED:
        return CODED[name].get(str(value), str(value))
    if name == "superseded_by":
        return HEIRS.get(str(value)) or names.get(str(value), "something that is deleted by now")
    if name.endswith("_at"):
        return _moment(str(value))
    return placed(str(value)) if name == "path" else plain(value)


def plain(value: object) -> str:
    """Return any JSON as text, cut where it is very long."""
    if isinstance(value, list):
        text = "; ".join(plain(one) for one in value)
    elif isinstance(value, dict):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def placed(path: str) -> str:
    """Return a pointer as the way that one goes."""
    try:
        return " / ".join(keys_of(path))
    except ValueError:
        return path


def _moment(text: str) -> str:
    try:
        at = datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return text
    return f"{at.day} {at:%b %Y, %H:%M}"

"""What the readers of exports share: fields of JSON of which nothing is certain."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from memory.messages import Malformed


def objects(value: object) -> list[Mapping[str, object]]:
    """Return the objects of a list; nothing of anything else."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def moment(value: object) -> str | None:
    """Return a time as our format has it, from seconds since 1970 or from a text; None without one."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC).isoformat()
        known = datetime.fromisoformat(text(value))
    except (ValueError, OverflowError, OSError):
        return None
    return (known if known.tzinfo else known.replace(tzinfo=UTC)).isoformat()


def row(role: str, content: str, session: object, when: str | None) -> dict[str, object]:
    return {"role": role, "content": content, "session": text(session) or "1", "occurred_at": when}


def of_one_person(owners: Iterable[object]) -> None:
    """Raise Malformed where an export holds more than one owner: it would become one's memory."""
    names = {str(owner) for owner in owners if owner}
    if len(names) > 1:
        raise Malformed(f"it holds memories of {len(names)} people; export one person at a time")


def dated(rows: Iterable[dict[str, object]], first: str | None) -> Iterator[dict[str, object]]:
    """Give a message without a time that of the one before it: what was said then is not of today."""
    last = first
    for each in rows:
        last = str(each["occurred_at"]) if each["occurred_at"] else last
        yield {**each, "occurred_at": last}

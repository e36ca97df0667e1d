"""What an agent learned from failing: errors of its tools, corrections of its user."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from accounts.models import Owner
from knowledge.errors import WorkspaceUnavailable
from knowledge.workspace.folder import (
    add_text,
    folder_of,
    opened,
    reachable,
    read_text,
    replace_text,
)
from knowledge.workspace.names import File, one_line, written

log = logging.getLogger(__name__)
MOST_BYTES = 50_000
SHOWN_LINES = 20
ERROR_CHARACTERS, CONTEXT_CHARACTERS = 500, 200
ORIGINAL_CHARACTERS, CORRECTION_CHARACTERS = 200, 500


@dataclass(frozen=True, slots=True)
class Learnings:
    """The last lines of both files; empty where nothing was learned."""

    errors: str = ""
    corrections: str = ""


NOTHING_LEARNED = Learnings()


def append_error(*, owner: Owner, at: datetime, tool: str, error: str, context: str = "") -> None:
    """Add a failure of a tool, with what it was asked; the same one twice changes nothing.

    Raises WorkspaceUnavailable.
    """
    lines = [f"- [{_utc(at)}] **{one_line(tool)}**: {_cut(error, ERROR_CHARACTERS)}"]
    if context.strip():
        lines.append(f"  Context: {_cut(context, CONTEXT_CHARACTERS)}")
    _append(owner, File.ERRORS, lines)


def append_correction(*, owner: Owner, at: datetime, original: str, correction: str) -> None:
    """Add what the user said against what; the same one twice changes nothing.

    Raises WorkspaceUnavailable.
    """
    lines = [
        f"- [{_utc(at)}] Original: {_cut(original, ORIGINAL_CHARACTERS)}",
        f"  Correction: {_cut(correction, CORRECTION_CHARACTERS)}",
    ]
    _append(owner, File.CORRECTIONS, lines)


def last_learnings(owner: Owner) -> Learnings:
    """Return the last 20 lines of each file; nothing where they cannot be read."""
    try:
        with reachable():
            folder = folder_of(owner)
            return Learnings(_last(folder, File.ERRORS), _last(folder, File.CORRECTIONS))
    except WorkspaceUnavailable as error:
        log.warning("a prompt goes without its learnings: %s", error)
        return Learnings()


def _append(owner: Owner, name: File, lines: list[str]) -> None:
    entry = "\n".join(lines) + "\n"
    with opened(owner) as folder:
        path = folder / name
        if entry not in read_text(path):
            add_text(path, entry)
            if path.stat().st_size > MOST_BYTES:
                _rotate(path)


def _rotate(path: Path) -> None:
    """Drop the older half of the lines."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(True)
    replace_text(path, "".join(lines[len(lines) // 2 :]))


def _last(folder: Path, name: File) -> str:
    lines = [line for line in written(name, read_text(folder / name)).splitlines() if line.strip()]
    return "\n".join(line for line in lines[-SHOWN_LINES:] if not line.startswith("# "))


def _cut(text: str, most: int) -> str:
    return one_line(text)[:most]


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"

"""MEMORY.md and the daily logs: what happened and was found is added at their ends."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from accounts.models import Owner
from knowledge.facts import NewFact
from knowledge.workspace.folder import add_text, names_in, opened, read_text, replace_text
from knowledge.workspace.names import File, one_line

KEPT_BY_HAPPENING = re.compile(r"MEMORY\.md|memory/[^/]+\.md")


def append_facts(*, owner: Owner, facts: Sequence[NewFact], run: int, day: date) -> None:
    """Add a dated section to MEMORY.md; a repetition of `run` changes nothing.

    Raises WorkspaceUnavailable.
    """
    mark = f"<!-- compaction {run} -->"
    lines = [f"- **{one_line(fact.key)}**: {one_line(fact.value)}" for fact in facts]
    with opened(owner) as folder:
        path = folder / File.MEMORY
        old = path.read_text(encoding="utf-8")
        if mark not in old:
            section = [f"## {day:%Y-%m-%d} {mark}", "", *lines, ""]
            replace_text(path, "\n".join([old, *section]))


def log_line(*, owner: Owner, text: str, at: datetime) -> str:
    """Add `- [HH:MM] text` to the log of that UTC day; return the file's name.

    What was said twice in a minute stands once. Raises WorkspaceUnavailable.
    """
    name = f"memory/{at:%Y-%m-%d}.md"
    with opened(owner) as folder:
        path = folder / name
        line = f"- [{at:%H:%M}] {one_line(text)}\n"
        head = "" if path.exists() else f"# {at:%Y-%m-%d}\n\n"
        if line not in read_text(path):
            add_text(path, head + line)
    return name


def erase_lines(*, owner: Owner, words: Iterable[str]) -> None:
    """Take out of MEMORY.md and the daily logs every line that holds all the words.

    Raises WorkspaceUnavailable.
    """
    sought = [one_line(word) for word in words]
    with opened(owner) as folder:
        for name in names_in(folder):
            if KEPT_BY_HAPPENING.fullmatch(name):
                old = (folder / name).read_text(encoding="utf-8", errors="replace")
                kept = [line for line in old.splitlines(True) if not _holds(line, sought)]
                if len(kept) != len(old.splitlines(True)):
                    replace_text(folder / name, "".join(kept))


def _holds(line: str, sought: Sequence[str]) -> bool:
    return line.startswith("- ") and all(word in line for word in sought)

"""MEMORY.md, which holds each fact once, and the daily logs, which grow at their ends."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from accounts.models import Owner
from knowledge.saved_facts.save import NewFact
from knowledge.workspace.folder import (
    add_text,
    folder_of,
    names_in,
    opened,
    reachable,
    read_text,
    replace_text,
)
from knowledge.workspace.names import File, one_line

Holds = Callable[[str], bool]
FACT_LINE = re.compile(r"- \*\*(.+?)\*\*: ")
EMPTY_SECTION = re.compile(r"## \d{4}-\d\d-\d\d <!-- compaction \d+ -->\n\s*(?=## |\Z)")
# As much as a prompt may show of it.
MOST_MEMORY = 16_000
KEPT_BY_HAPPENING = re.compile(r"MEMORY\.md|memory/[^/]+\.md")


def append_facts(*, owner: Owner, facts: Sequence[NewFact], run: int, day: date) -> None:
    """Put facts into MEMORY.md, each key once with its newest value; a repetition of `run` changes nothing.

    Of what exceeds the file's size the oldest facts go; they stay among the saved facts. What a person
    has written there, and is no fact's line, stays. Raises WorkspaceUnavailable.
    """
    mark = f"<!-- compaction {run} -->"
    newest = {one_line(fact.key): one_line(fact.value) for fact in facts}
    with opened(owner) as folder:
        path = folder / File.MEMORY
        old = path.read_text(encoding="utf-8")
        if mark not in old:
            kept = [line for line in old.splitlines() if _key(line) not in newest]
            lines = [f"- **{key}**: {value}" for key, value in newest.items()]
            section = ["", f"## {day:%Y-%m-%d} {mark}", "", *lines]
            replace_text(path, curated([*kept, *section], MOST_MEMORY))


def curated(lines: Sequence[str], most: int) -> str:
    """Return a file of at most `most` characters: without its oldest facts, and without empty sections."""
    excess = sum(len(line) + 1 for line in lines) - most
    kept: list[str] = []
    for line in lines:
        if excess > 0 and _key(line) is not None:
            excess -= len(line) + 1
        else:
            kept.append(line)
    return _without_empty_sections(kept)


def _without_empty_sections(lines: Sequence[str]) -> str:
    text = "\n".join(lines).strip() + "\n"
    return EMPTY_SECTION.sub("", text)


def _key(line: str) -> str | None:
    """Return the key of a fact's line, None for any other line."""
    found = FACT_LINE.match(line)
    return found[1] if found else None


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
                _drop(folder / name, lambda line: _holds(line, sought))


def lines_that(*, owner: Owner, holds: Holds) -> dict[str, list[str]]:
    """Return the lines of the files that are written by what happens that are so, by file.

    Raises WorkspaceUnavailable.
    """
    with reachable():
        folder = folder_of(owner)
        found = {
            name: _lines(folder / name)
            for name in names_in(folder)
            if is_written_by_what_happens(name)
        }
    told = {name: [line for line in lines if holds(line)] for name, lines in found.items()}
    return {name: lines for name, lines in told.items() if lines}


def drop_lines_that(*, owner: Owner, holds: Holds) -> None:
    """Take these lines out of the files. Raises WorkspaceUnavailable."""
    with opened(owner) as folder:
        for name in filter(is_written_by_what_happens, names_in(folder)):
            _drop(folder / name, holds)


def add_lines(*, owner: Owner, lines: Mapping[str, Sequence[str]]) -> None:
    """Add lines at the ends of the files. Raises WorkspaceUnavailable."""
    with opened(owner) as folder:
        for name in filter(is_written_by_what_happens, lines):
            add_text(folder / name, "".join(lines[name]))


def is_written_by_what_happens(name: str) -> bool:
    """Say whether a file is a log: MEMORY.md, one of a day, or what was learned from failing."""
    return bool(KEPT_BY_HAPPENING.fullmatch(name)) or name in {File.ERRORS, File.CORRECTIONS}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines(True)


def _drop(path: Path, holds: Holds) -> None:
    old = _lines(path)
    kept = [line for line in old if not holds(line)]
    if len(kept) != len(old):
        replace_text(path, "".join(kept))


def _holds(line: str, sought: Sequence[str]) -> bool:
    return line.startswith("- ") and all(word in line for word in sought)

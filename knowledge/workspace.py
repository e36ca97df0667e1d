"""An owner's Markdown files as real files, below the data folder."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from django.conf import settings

from accounts.models import Owner
from knowledge.facts import NewFact

MEMORY = "MEMORY.md"


def folder_of(owner: Owner) -> Path:
    """Return the owner's folder; its parts are ids, so that no name can lead out of the root."""
    root: Path = settings.DATA_DIR
    return root / "workspaces" / str(owner.agent_id) / str(owner.pk)


def append_facts(*, owner: Owner, facts: Sequence[NewFact], run: int, day: date) -> None:
    """Add a dated section to MEMORY.md; a repetition of `run` changes nothing."""
    mark = f"<!-- compaction {run} -->"
    lines = [f"- **{_plain(fact.key)}**: {_plain(fact.value)}" for fact in facts]
    with _locked(folder_of(owner)) as folder:
        path = folder / MEMORY
        old = path.read_text(encoding="utf-8") if path.exists() else "# Memory\n"
        if mark not in old:
            section = [f"## {day:%Y-%m-%d} {mark}", "", *lines, ""]
            _replace(path, "\n".join([old, *section]))


def _plain(text: str) -> str:
    """Return text that stays one line and begins no comment, so that it cannot pass for a mark."""
    return " ".join(text.split()).replace("<!--", "<! --")


@contextmanager
def _locked(folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _replace(path: Path, text: str) -> None:
    """Write the whole file or nothing of it."""
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)

"""What a run that was killed left behind: noted while it runs, ended before the next one starts."""

import json
from collections.abc import Sequence
from pathlib import Path

from memory_project.process import end_group
from memory_project.secret import write_private

FILE = "up.groups"


def note(data: Path, groups: Sequence[int]) -> None:
    write_private(data / FILE, list(groups))


def end(data: Path) -> None:
    """End the noted process groups that still run programs of ours; a number may be another's now."""
    try:
        groups = json.loads((data / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return
    for group in groups:
        if _has_our_programs(group):
            end_group(group)


def _has_our_programs(group: int) -> bool:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        is_ours = b"qcluster" in command or b"memory_project" in command
        if int(fields[2]) == group and is_ours:
            return True
    return False

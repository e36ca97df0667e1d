"""The tables of docs/figures.md: each says when, where and on which code it was measured.

    python -m bench.figures check
    python -m bench.figures confirm NAME --because "why the figures still hold"

`check` ends with 1 when the code that a table depends on is no longer the code it was measured on.
A benchmark replaces its table with `Table(NAME).write(rows)`.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.code_digest import NothingMatches, digest, digests
from bench.measured import FIGURES, OLDER, Figure

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/figures.md"
OLDER_LINE = (
    "Older than the code: measured before tables were stamped, at a commit that nobody noted, "
    "and not measured again since."
)
NEVER_LINE = "Not measured yet."
# `<!-- figures: NAME`, a line for each file with its digest, `-->`, the table, its stamp, the end.
BLOCK = re.compile(
    r"^<!-- figures: (?P<name>[a-z-]+)(?P<files>(?:\n\S+ [0-9a-f]{8})*)\s*-->\n"
    r"(?P<body>.*?)^<!-- /figures -->$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between the markers of one table: its rows, what it says of them, its code."""

    name: str
    rows: str
    stamp: str
    files: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        files = "".join(f"\n{path} {short}" for path, short in self.files.items())
        end = f"{files}\n-->" if files else " -->"
        return f"<!-- figures: {self.name}{end}\n\n{self.rows}\n\n{self.stamp}\n\n<!-- /figures -->"


def blocks(text: str) -> Iterator[Block]:
    for match in BLOCK.finditer(text):
        rows, _, stamp = match["body"].strip().rpartition("\n\n")
        files = dict(line.split(" ") for line in match["files"].split("\n") if line)
        yield Block(match["name"], rows, stamp, files)


@dataclass(slots=True)
class Table:
    """A table that is being measured, on the code as it was when this began."""

    name: str
    root: Path = ROOT
    figures: Mapping[str, Figure] = field(default_factory=lambda: FIGURES)
    files: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.files = self._files()

    def write(self, rows: str) -> None:
        """Replace the table and say when, where and on which code it was measured."""
        if self._files() != self.files:
            sys.exit(f"{self.name}: its code has changed while it was measured; measure it again")
        by = f"by `{self.figures[self.name].command}`"
        cores = f"on {os.cpu_count()} cores at a load of {os.getloadavg()[2]:.0f}"
        stamp = f"Measured {_now(self.root, self.files)} {cores} {by}; code digest `{digest(self.files)}`."
        replace(self.root, Block(self.name, rows.strip(), stamp, self.files))

    def _files(self) -> dict[str, str]:
        return digests(self.root, self.figures[self.name].code)


def replace(root: Path, block: Block) -> None:
    """Write a table where its markers stand, and nothing else of the page. Raises SystemExit."""
    page = root / PAGE
    text, fresh = page.read_text(encoding="utf-8"), page.with_suffix(".new")
    for match in BLOCK.finditer(text):
        if match["name"] == block.name:
            fresh.write_text(text[: match.start()] + str(block) + text[match.end() :], "utf-8")
            fresh.replace(page)
            return
    sys.exit(
        f"{PAGE} has no place for {block.name}: <!-- figures: {block.name} --> … <!-- /figures -->"
    )


def confirm(
    name: str,
    because: str,
    root: Path = ROOT,
    figures: Mapping[str, Figure] = FIGURES,
) -> None:
    """Say why a table holds for code that has changed since. Raises SystemExit without a stamp."""
    block = {one.name: one for one in blocks((root / PAGE).read_text(encoding="utf-8"))}.get(name)
    if block is None or not block.files:
        sys.exit(f"{name} has no measurement to confirm")
    files, reason = digests(root, figures[name].code), " ".join(because.split()).rstrip(".")
    stamp = f"{block.stamp} Confirmed {_now(root, files)}, code digest `{digest(files)}`: {reason}."
    replace(root, Block(name, block.rows, stamp, files))


def faults(
    root: Path = ROOT,
    figures: Mapping[str, Figure] = FIGURES,
    older: frozenset[str] = OLDER,
) -> Iterator[str]:
    """Yield what is wrong with the page: tables that are stale, unknown, or without a stamp."""
    text = (root / PAGE).read_text(encoding="utf-8")
    outside = BLOCK.sub(lambda match: "\n" * match[0].count("\n"), text).splitlines()
    for number, line in enumerate(outside, start=1):
        if line.startswith("|---"):
            yield f"{PAGE}:{number}: a table stands outside the markers"
    kept = {block.name: block for block in blocks(text)}
    for name in sorted(figures.keys() | older | kept.keys()):
        yield from _faults_of(root, name, kept.get(name), figures, older)


def _faults_of(
    root: Path,
    name: str,
    block: Block | None,
    figures: Mapping[str, Figure],
    older: frozenset[str],
) -> Iterator[str]:
    if block is None:
        yield f"{name}: {PAGE} has no such table"
    elif name in older:
        if block.files or block.stamp not in {OLDER_LINE, NEVER_LINE}:
            yield f"{name}: it was measured since; take it out of OLDER in bench/measured.py"
    elif name not in figures:
        yield f"{name}: bench/measured.py does not say what measures it"
    elif not block.files or f"`{digest(block.files)}`" not in block.stamp:
        yield f"{name}: it has no stamp of its own; measure it: {figures[name].command}"
    else:
        yield from _stale(root, block, figures[name])


def _stale(root: Path, block: Block, figure: Figure) -> Iterator[str]:
    try:
        now = digests(root, figure.code)
    except NothingMatches as moved:
        yield f"{block.name}: no file matches {moved}, which its figures depend on"
        return
    changed = sorted(
        path for path in now.keys() | block.files.keys() if now.get(path) != block.files.get(path)
    )
    if changed:
        yield (
            f"{block.name}: changed since it was measured: {', '.join(changed)}\n"
            f"  measure it again: {figure.command}\n"
            f'  or say why it holds: python -m bench.figures confirm {block.name} --because "…"'
        )


def _now(root: Path, files: Iterable[str]) -> str:
    """Return the day, the commit, and whether these files are those of the commit."""
    commit = _git(root, "rev-parse", "--short", "HEAD")
    at = f"at `{commit}`" if commit else "at a commit that is not known"
    is_dirty = bool(commit) and bool(_git(root, "status", "--porcelain", "--", *files))
    day = datetime.now(UTC).date().isoformat()
    return f"{day} {at}{' with uncommitted changes' if is_dirty else ''}"


def _git(root: Path, *arguments: str) -> str:
    """Return what git prints, or nothing where there is no git or no repository."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 when a table is stale."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    acts = parser.add_subparsers(dest="act", required=True)
    acts.add_parser("check")
    confirming = acts.add_parser("confirm")
    confirming.add_argument("name", choices=sorted(FIGURES))
    confirming.add_argument("--because", required=True, help="why the figures still hold")
    asked = parser.parse_args(arguments)
    if asked.act == "confirm":
        confirm(asked.name, asked.because)
        return 0
    wrong = list(faults())
    print("\n".join(wrong) if wrong else f"All tables of {PAGE} stand for the code as it is.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Entries as files below /memories: which path is which entry's, and how a folder is listed."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from knowledge.errors import CommandRefused

ROOT = "/memories"
# No name holds a slash; this sign is one to the eye, and in a path it is one.
DIVISION = "\u2215"
PROFILE = "profile.md"
ARCHIVES = "archives"
UNITS = ("B", "K", "M", "G")


@dataclass(frozen=True, slots=True)
class EntryPath:
    """A path as it was given, and what it means: parts below the root, none for the root itself."""

    path: str
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the entry: of the archive below `archives`, else of a note."""
        return DIVISION.join(self.parts[1:] if self.is_in_archives else self.parts)

    @property
    def is_root(self) -> bool:
        return not self.parts

    @property
    def is_profile(self) -> bool:
        return self.parts == (PROFILE,)

    @property
    def is_in_archives(self) -> bool:
        return self.parts[:1] == (ARCHIVES,)

    @property
    def is_read_only(self) -> bool:
        return self.parts[:1] in {(PROFILE,), (ARCHIVES,)}


def place_of(path: str) -> EntryPath:
    """Return the place that a path names. Raises CommandRefused outside of the root."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise CommandRefused(f"Path must start with {ROOT}, got: {path}")
    below = posixpath.normpath(path.removeprefix(ROOT).lstrip("/") or ".")
    if below.split("/")[0] == "..":
        raise CommandRefused(f"Path {path} would escape {ROOT} directory")
    return EntryPath(path, () if below == "." else tuple(below.replace(DIVISION, "/").split("/")))


def file_path(name: str) -> str:
    """Return where below the root an entry of this name lies."""
    return name.replace(DIVISION, "/")


def listing(place: EntryPath, sizes: Mapping[str, int]) -> str:
    """Return a folder's listing, two levels deep, of files by their paths below it."""
    lines = [
        f"{shown_size(sum(sizes.values()))}\t{place.path}",
        *(f"{shown_size(size)}\t{place.path}/{path}" for path, size in _levels(sizes, 2)),
    ]
    head = f"Here're the files and directories up to 2 levels deep in {place.path}, excluding hidden items:"
    return "\n".join([head, *lines])


def shown_size(size: int) -> str:
    """Return a size as people read it: 0B, 512B, 1.5K."""
    if size == 0:
        return "0B"
    power = min((size.bit_length() - 1) // 10, len(UNITS) - 1)
    shown = size / 1024**power
    return f"{shown:.0f}{UNITS[power]}" if shown == int(shown) else f"{shown:.1f}{UNITS[power]}"


def _levels(sizes: Mapping[str, int], depth: int) -> list[tuple[str, int]]:
    """Return files and folders, each folder before what it holds, in the order of their names."""
    found: list[tuple[str, int]] = []
    folders: dict[str, dict[str, int]] = {}
    for path, size in sizes.items():
        first, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(first, {})[rest] = size
        else:
            found.append((path, size))
    for folder, held in folders.items():
        found.append((f"{folder}/", sum(held.values())))
        if depth > 1:
            found += [(f"{folder}/{path}", size) for path, size in _levels(held, depth - 1)]
    return sorted(found, key=lambda pair: pair[0].rstrip("/").split("/"))

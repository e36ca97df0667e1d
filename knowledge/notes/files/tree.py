"""A memory as a folder of Markdown: notes/, archives/ and a SUMMARY.md that links to them."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from knowledge.errors import FileUnfit, FileUnwritten
from knowledge.notes.entries.names import check_name
from knowledge.notes.entries.operations import EntryKind, EntryValue

FOLDERS = {EntryKind.NOTE: "notes", EntryKind.ARCHIVE: "archives"}
SUMMARY = "SUMMARY.md"
MARK = "<!-- recollect memory, next id {} -->"
MARKED = re.compile(r"<!-- recollect memory, next id (\d{1,18}) -->\n")
HEAD = re.compile(r"---\nid: (\d{1,18})\ncreated_at: (\d{1,11})\naliases: (\[.*\])\n---\n")


def write_tree(folder: Path, entries: Sequence[EntryValue], next_number: int) -> None:
    """Write entries as files, in the place of a tree that is there.

    Raises NameUnfit before anything is written, FileUnfit for a folder with something else in it,
    FileUnwritten.
    """
    for entry in entries:
        check_name(entry.name)
    try:
        _make_room(folder)
        for entry in entries:
            (folder / _path(entry)).write_bytes(_text(entry).encode())
        summary = _summary(entries, next_number)
        (folder / SUMMARY).write_bytes(summary.encode())
    except OSError as error:
        raise FileUnwritten(f"the folder cannot be written: {error.strerror}") from error


def read_tree(folder: Path) -> tuple[list[EntryValue], int]:
    """Return the entries of a tree, and the number that comes next.

    Raises FileUnfit or NameUnfit for what is no tree, or does not agree with itself.
    """
    marked = MARKED.match(_read(folder / SUMMARY))
    if marked is None:
        raise FileUnfit("the folder has no SUMMARY.md of a memory")
    entries = [_entry(path, kind) for kind in FOLDERS for path in _files(folder, kind)]
    names = [name for entry in entries for name in (entry.name, *entry.aliases)]
    for name in names:
        check_name(name)
    numbers = {entry.number for entry in entries}
    if len(set(names)) != len(names) or len(numbers) != len(entries):
        raise FileUnfit("a name or an id stands there twice")
    if not 0 <= max(numbers, default=0) < int(marked[1]) or 0 in numbers:
        raise FileUnfit("the next id is not beyond those that were given")
    return sorted(entries, key=lambda entry: entry.number), int(marked[1])


def _make_room(folder: Path) -> None:
    """Make the folders, without the files of an earlier tree."""
    folder.mkdir(exist_ok=True)
    if any(folder.iterdir()):
        if MARKED.match(_read(folder / SUMMARY)) is None:
            raise FileUnfit("the folder holds something else than a memory")
        for kind in FOLDERS:
            for path in _files(folder, kind):
                path.unlink()
    for name in FOLDERS.values():
        (folder / name).mkdir(exist_ok=True)


def _files(folder: Path, kind: EntryKind) -> Iterator[Path]:
    return iter(sorted((folder / FOLDERS[kind]).glob("*.md")))


def _path(entry: EntryValue) -> str:
    return f"{FOLDERS[entry.kind]}/{entry.name}.md"


def _text(entry: EntryValue) -> str:
    aliases = json.dumps(entry.aliases, ensure_ascii=False)
    head = f"id: {entry.number}\ncreated_at: {entry.created_at}\naliases: {aliases}\n"
    return f"---\n{head}---\n{entry.content}"


def _summary(entries: Sequence[EntryValue], next_number: int) -> str:
    links = [
        f"- [{_escaped(entry.name)}]({quote(_path(entry))})"
        for kind in FOLDERS
        for entry in entries
        if entry.kind is kind
    ]
    return "\n".join([MARK.format(next_number), "# Summary", "", *links, ""])


def _escaped(name: str) -> str:
    return re.sub(r"([\[\]*_`<>])", r"\\\1", name)


def _entry(path: Path, kind: EntryKind) -> EntryValue:
    text = _read(path)
    head = HEAD.match(text)
    if head is None:
        raise FileUnfit(f"{path.name} does not begin with id, created_at and aliases")
    name, content = path.name.removesuffix(".md"), text[head.end() :]
    return EntryValue(int(head[1]), name, content, kind, int(head[2]), _aliases(path, head[3]))


def _aliases(path: Path, text: str) -> tuple[str, ...]:
    try:
        found: list[object] = json.loads(text)
    except ValueError as error:
        raise FileUnfit(f"the aliases of {path.name} are no list") from error
    names = tuple(name for name in found if isinstance(name, str))
    if len(names) != len(found):
        raise FileUnfit(f"the aliases of {path.name} are no list of texts")
    return names


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise FileUnfit(f"{path.name} is not UTF-8") from error
    except OSError as error:
        raise FileUnfit(f"{path.name} cannot be read: {error.strerror}") from error
